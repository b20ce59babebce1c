package dev.sailfish.hadoop.am.warm;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.db.DBConfiguration;
import org.junit.jupiter.api.Test;

class WarmSettingsTest {
  private static final String JAVA_SERIALIZATION =
      "org.apache.hadoop.io.serializer.JavaSerialization";

  private final JobConf conf = new JobConf(false);

  private WarmSettings settings(String mode) {
    conf.set("sailfish.am.warm.tasks", mode);
    return WarmSettings.of(conf);
  }

  @Test
  void jobGetsWhatItAsksFor() {
    assertThat(settings("isolated").isolated()).isTrue();
    assertThat(settings("shared").mode()).isEqualTo("shared");
    assertThat(settings("off").on()).isFalse();
    conf.setBoolean("mapreduce.map.output.compress", true);
    conf.set("mapreduce.map.output.compress.codec", "com.example.CodecOfTheJobsJar");
    assertThat(settings("isolated").isolated()).isTrue();
  }

  @Test
  void javaSerializationIsNotIsolated() {
    conf.set(
        "io.serializations",
        "org.apache.hadoop.io.serializer.WritableSerialization, " + JAVA_SERIALIZATION);
    assertThat(settings("isolated").on()).isFalse();
    assertThat(settings("isolated").why()).contains("io.serializations", JAVA_SERIALIZATION);
    assertThat(settings("shared").mode()).isEqualTo("shared");
  }

  @Test
  void driversOfDatabasesAreNotIsolated() {
    DBConfiguration.configureDB(conf, "com.example.Driver", "jdbc:example:all");
    assertThat(settings("isolated").on()).isFalse();
    assertThat(settings("isolated").why()).contains("com.example.Driver");
    assertThat(settings("shared").mode()).isEqualTo("shared");
  }

  @Test
  void hadoopsClassLoaderOfJobsIsTheJobsOwnWish() {
    conf.setBoolean(MRJobConfig.MAPREDUCE_JOB_CLASSLOADER, true);
    conf.set("io.serializations", JAVA_SERIALIZATION);
    assertThat(settings("isolated").isolated()).isTrue();
  }
}
