package dev.sailfish.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.jobs.RandomJobSpec;
import dev.sailfish.protocol.client.MetaserverClient;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A chunkserver that is gone for good costs the maps whose blocks it held, and no record. */
class LostChunkTest {
  @TempDir Path temporary;

  @Test
  void shouldRunTheLostMapsAgainAndGiveTheOutputOfStock() throws Exception {
    RandomJobSpec spec = specWithSeveralTasks();
    Job stock = job(spec, "stock");
    stock.getConfiguration().set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    assertThat(stock.waitForCompletion(false)).isTrue();
    try (SailfishDaemons daemons =
        SailfishDaemons.start(temporary, 2, Map.of("sailfish.metaserver.dead.after.ms", "2000"))) {
      Job job = job(spec, "sailfish");
      job.getConfiguration().setInt("sailfish.client.deadline.s", 5);
      Chunkserver victim = daemons.chunkservers().get(0);
      Set<TaskAttemptID> lost =
          InProcessJob.runWithLoss(
              job, daemons.address(), 1, temporary.resolve("work").toFile(), victim::close);
      assertThat(lost).as("maps that ran again of %s", spec).isNotEmpty();
      try (MetaserverClient client = daemons.client()) {
        assertThat(client.status().getCountersOrThrow("metaserver_partitions_held"))
            .as("partitions that were not appended again of %s", spec)
            .isPositive();
      }
    }
    assertThat(OutputFiles.read(temporary.resolve("sailfish")))
        .as("%s", spec)
        .isNotEmpty()
        .isEqualTo(OutputFiles.read(temporary.resolve("stock")));
  }

  private static RandomJobSpec specWithSeveralTasks() {
    long first = Long.getLong("sailfish.seed", System.nanoTime());
    System.out.println("LostChunkTest seed=" + first);
    SplittableRandom random = new SplittableRandom(first);
    while (true) {
      RandomJobSpec spec = RandomJobSpec.ofSeed(random.nextLong());
      boolean several = spec.maps() >= 3 && spec.maps() <= 8 && spec.reduces() >= 3;
      if (several && spec.recordsPerMap() > 1000 && spec.cardinality() > 1000) {
        return spec;
      }
    }
  }

  private Job job(RandomJobSpec spec, String output) throws Exception {
    JobConf conf = new JobConf();
    conf.set("hadoop.tmp.dir", temporary.resolve(output + "-tmp").toString());
    conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 10);
    Job job = Job.getInstance(conf);
    spec.configure(job);
    job.getConfiguration()
        .set(FileOutputFormat.OUTDIR, temporary.resolve(output).toUri().toString());
    return job;
  }
}
