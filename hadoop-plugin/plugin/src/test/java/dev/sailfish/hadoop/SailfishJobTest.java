package dev.sailfish.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.config.Key;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;
import org.junit.jupiter.api.Test;

/** When Sailfish does a job's shuffle, and with which settings. */
class SailfishJobTest {
  private static final String OURS = SailfishMapOutputCollector.class.getName();
  private static final String STOCKS = MapTask.MapOutputBuffer.class.getName();

  private static Configuration conf(String collector, String consumer) {
    Configuration conf = new Configuration(false);
    conf.set(MRConfig.FRAMEWORK_NAME, MRConfig.YARN_FRAMEWORK_NAME);
    if (collector != null) {
      conf.set(MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, collector);
    }
    if (consumer != null) {
      conf.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, consumer);
    }
    return conf;
  }

  private static Configuration ours() {
    return conf(OURS, SailfishShuffleConsumer.class.getName());
  }

  @Test
  void bothClassesTogetherMakeASailfishJob() {
    assertThat(SailfishJob.whyStock(ours())).isNull();
    assertThat(
            SailfishJob.whyStock(
                conf(" " + OURS + " , ", SailfishShuffleConsumer.class.getName() + " ")))
        .isNull();
  }

  @Test
  void aCollectorOfTheJobsOwnMeansStock() {
    String consumer = SailfishShuffleConsumer.class.getName();
    assertThat(SailfishJob.whyStock(conf(STOCKS, consumer)))
        .isEqualTo(MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR + "=" + STOCKS + " and not " + OURS);
    assertThat(SailfishJob.whyStock(conf(null, consumer)))
        .isEqualTo(MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR + " is not set and not " + OURS);
  }

  @Test
  void anotherConsumerMeansStock() {
    assertThat(SailfishJob.whyStock(conf(OURS, Shuffle.class.getName())))
        .isEqualTo(
            MRConfig.SHUFFLE_CONSUMER_PLUGIN
                + "="
                + Shuffle.class.getName()
                + " and not "
                + SailfishShuffleConsumer.class.getName());
    assertThat(SailfishJob.whyStock(conf(OURS, null))).contains(" is not set and not ");
  }

  /** Each map takes the first that can be initialized there: reduces cannot know which. */
  @Test
  void severalCollectorsMeanStock() {
    String consumer = SailfishShuffleConsumer.class.getName();
    assertThat(SailfishJob.whyStock(conf(OURS + "," + STOCKS, consumer)))
        .contains(OURS + "," + STOCKS);
    assertThat(SailfishJob.whyStock(conf(STOCKS + "," + OURS, consumer)))
        .contains(STOCKS + "," + OURS);
  }

  @Test
  void localAndUberJobsMeanStock() {
    Configuration local = ours();
    local.set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    assertThat(SailfishJob.whyStock(local)).isEqualTo("mapreduce.framework.name=local");
    Configuration uber = ours();
    uber.setBoolean("mapreduce.task.uberized", true);
    assertThat(SailfishJob.whyStock(uber)).isEqualTo("it is an uber job");
  }

  @Test
  void encryptionThatNobodyWouldDoIsRefused() {
    Configuration conf = conf(STOCKS, SailfishShuffleConsumer.class.getName());
    SailfishJob.requireNoneButHadoopEncrypts(conf);
    conf.setBoolean(JobKey.ENCRYPT_AT_REST.name(), true);
    assertThatThrownBy(() -> SailfishJob.requireNoneButHadoopEncrypts(conf))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(JobKey.ENCRYPT_AT_REST.name() + "=true")
        .hasMessageContaining(STOCKS)
        .hasMessageContaining("set both plug-in keys");
    conf.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
    SailfishJob.requireNoneButHadoopEncrypts(conf);
  }

  @Test
  void defaultsAreThoseOfTheKeys() {
    SailfishJob job = SailfishJob.of(new Configuration(false));
    assertThat(job.metaservers()).hasSize(1);
    assertThat(job.get(JobKey.APPENDER_MEMORY)).isEqualTo(64L << 20);
    assertThat(job.get(JobKey.DEADLINE)).isEqualTo(Duration.ofSeconds(120));
    assertThat(job.get(JobKey.CHUNK_SIZE)).isZero();
    assertThat(job.authenticated()).isTrue();
    assertThat(job.encrypted()).isFalse();
    assertThat(job.get(JobKey.TLS)).isFalse();
    assertThat(job.mergerMemory()).isBetween(4L << 20, SailfishJob.MAX_DEFAULT_MERGER_BYTES);
  }

  @Test
  void wrongSettingsAreRefusedWithTheirKey() {
    assertRefused(JobKey.CHUNK_SIZE, "5000m", "must be a size in 0 or 1m..1g, as 64k, 128m");
    assertRefused(JobKey.BLOCK_SIZE, "16", "must be a size in 0 or 1k..64m");
    assertRefused(JobKey.DEADLINE, "120", "must be a duration in 1s..1d, as 500ms, 30s");
    assertRefused(JobKey.METASERVER_ADDRESS, "nowhere", "must be host:port");
    assertRefused(JobKey.METASERVER_ADDRESS, "localhost:65536", "must be host:port");
    assertRefused(JobKey.METASERVER_ADDRESS, "no.such.host.invalid:1", "cannot be resolved");
    assertRefused(JobKey.AUTHENTICATION, "yes", "must be secret or none");
    assertRefused(JobKey.ENCRYPT_AT_REST, "yes", "must be true or false");
    assertRefused(JobKey.TLS, "yes", "must be true or false");
  }

  /** The job's own codec comes with its jars, which only its tasks have. */
  @Test
  void whoHandlesNoMapOutputNeedsNoCodec() {
    Configuration conf = new Configuration(false);
    conf.setBoolean(MRJobConfig.MAP_OUTPUT_COMPRESS, true);
    conf.set(MRJobConfig.MAP_OUTPUT_COMPRESS_CODEC, "com.example.Codec");
    assertThatThrownBy(() -> SailfishJob.of(conf)).hasMessageContaining("com.example.Codec");
    assertThat(SailfishJob.keys(conf).get(JobKey.DEADLINE)).isEqualTo(Duration.ofSeconds(120));
    conf.set(JobKey.DEADLINE.name(), "120");
    assertThatThrownBy(() -> SailfishJob.keys(conf)).hasMessageContaining(JobKey.DEADLINE.name());
  }

  private static void assertRefused(Key<?> key, String value, String message) {
    Configuration conf = new Configuration(false);
    conf.set(key.name(), value);
    assertThatThrownBy(() -> SailfishJob.of(conf))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(key.name() + "=" + value)
        .hasMessageContaining(message);
  }

  @Test
  void onlyWhereMapsRunAgainAtOnceIsARefusalCutShort() {
    Configuration conf = ours();
    assertThat(SailfishJob.of(conf).refusalPatience(true)).isEqualTo(Duration.ofSeconds(2));
    assertThat(SailfishJob.of(conf).refusalPatience(false)).isEqualTo(Duration.ofMinutes(2));
    conf.set("sailfish.imerger.refusal.patience", "20s");
    assertThat(SailfishJob.of(conf).refusalPatience(true)).isEqualTo(Duration.ofSeconds(20));
    assertThat(SailfishJob.mapsRunAgainAtOnce()).as("said by nobody here").isFalse();
  }
}
