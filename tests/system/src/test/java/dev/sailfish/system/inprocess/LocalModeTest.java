package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.SailfishMapOutputCollector;
import dev.sailfish.hadoop.SailfishShuffleConsumer;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.system.OutputFiles;
import java.nio.file.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Local jobs, which shuffle through files of their own, go on working when the plug-ins are set.
 */
class LocalModeTest {
  @TempDir Path temporary;

  @Test
  void shouldRunWithoutAnyDaemon() throws Exception {
    RandomJobSpec spec = RandomJobSpec.ofSeed(12);
    assertThat(run(spec, "stock", false)).isTrue();
    assertThat(run(spec, "sailfish", true)).isTrue();
    assertThat(OutputFiles.read(temporary.resolve("sailfish")))
        .isNotEmpty()
        .isEqualTo(OutputFiles.read(temporary.resolve("stock")));
  }

  private boolean run(RandomJobSpec spec, String output, boolean plugIns) throws Exception {
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", temporary.resolve(output + "-tmp").toString());
    conf.set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 10);
    if (plugIns) {
      conf.set("sailfish.metaserver.address", "localhost:1");
      conf.setClass(
          MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
          SailfishMapOutputCollector.class,
          Object.class);
      conf.setClass(MRConfig.SHUFFLE_CONSUMER_PLUGIN, SailfishShuffleConsumer.class, Object.class);
    }
    Job job = Job.getInstance(conf);
    spec.configure(job);
    job.getConfiguration()
        .set(FileOutputFormat.OUTDIR, temporary.resolve(output).toUri().toString());
    return job.waitForCompletion(false);
  }
}
