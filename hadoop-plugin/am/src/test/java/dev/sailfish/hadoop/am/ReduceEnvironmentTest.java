package dev.sailfish.hadoop.am;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.SailfishJob;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceChildJVM;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitIndex;
import org.junit.jupiter.api.Test;

/** What Hadoop puts into the environment of the tasks of a Sailfish ApplicationMaster. */
class ReduceEnvironmentTest {
  private static final String TOLD = "SAILFISH_LOST_MAPS_RUN_AGAIN";
  private static final String JOB_FILE = new Path("/job.xml").toString();

  private static Map<String, String> environment(JobConf conf, Task task) {
    Map<String, String> environment = new HashMap<>();
    task.setConf(conf);
    MapReduceChildJVM.setVMEnv(environment, task);
    return environment;
  }

  private static Task reduce() {
    return new ReduceTask(JOB_FILE, TaskAttemptID.forName("attempt_1_0001_r_000004_2"), 4, 17, 1);
  }

  private static Task map() {
    TaskAttemptID attempt = TaskAttemptID.forName("attempt_1_0001_m_000004_2");
    return new MapTask(JOB_FILE, attempt, 4, new TaskSplitIndex(), 1);
  }

  @Test
  void shouldTellReducesAndLeaveWhatTheJobSets() {
    for (String key : new String[] {MRJobConfig.REDUCE_ENV, "mapred.child.env"}) {
      JobConf conf = new JobConf(false);
      conf.set(key, "OWN=word");
      assertThat(environment(conf, reduce())).containsEntry("OWN", "word").doesNotContainKey(TOLD);
      SailfishJob.tellReducesThatMapsRunAgain(conf);
      assertThat(environment(conf, reduce()))
          .containsEntry("OWN", "word")
          .containsEntry(TOLD, "true");
      assertThat(environment(conf, map()))
          .as("in its JVM a reduce may run after it")
          .containsEntry(TOLD, "true");
    }
  }
}
