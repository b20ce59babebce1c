package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The way of a job's output: attempts write on their own, and what is committed is renamed. */
@Timeout(60)
class JobOutputTest {
  private static final Path OUTPUT = new Path("/job-output-test/out");
  private static final JobID JOB = new JobID("job", 1);

  private FileSystem fs;

  @BeforeEach
  void open() throws IOException {
    fs = FileSystem.newInstance(SharedStore.uri(), SharedStore.configuration());
  }

  @AfterEach
  void close() throws IOException {
    fs.delete(OUTPUT.getParent(), true);
    fs.close();
  }

  private static TaskAttemptContext attempt(Configuration conf, int task, int attempt) {
    TaskID id = new TaskID(JOB, TaskType.REDUCE, task);
    return new TaskAttemptContextImpl(conf, new TaskAttemptID(id, attempt));
  }

  private FSDataOutputStream write(FileOutputCommitter committer, int task, String text)
      throws IOException {
    FSDataOutputStream out =
        fs.create(new Path(committer.getWorkPath(), "part-r-%05d".formatted(task)));
    out.writeBytes(text);
    return out;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whatIsCommittedIsThere(int version) throws IOException {
    Configuration conf = SharedStore.configuration();
    conf.setInt(FileOutputCommitter.FILEOUTPUTCOMMITTER_ALGORITHM_VERSION, version);
    FileOutputCommitter job = new FileOutputCommitter(OUTPUT, attempt(conf, 0, 0));
    job.setupJob(attempt(conf, 0, 0));
    for (int task = 0; task < 5; task++) {
      TaskAttemptContext failed = attempt(conf, task, 0);
      FileOutputCommitter loser = new FileOutputCommitter(OUTPUT, failed);
      loser.setupTask(failed);
      FSDataOutputStream open = write(loser, task, "wrong");
      TaskAttemptContext good = attempt(conf, task, 1);
      FileOutputCommitter winner = new FileOutputCommitter(OUTPUT, good);
      winner.setupTask(good);
      write(winner, task, "task " + task).close();
      loser.abortTask(failed);
      assertThat(open.abort().alreadyClosed()).isFalse();
      assertThat(winner.needsTaskCommit(good)).isTrue();
      winner.commitTask(good);
    }
    job.commitJob(attempt(conf, 0, 0));
    FileStatus[] files = fs.listStatus(OUTPUT);
    assertThat(files)
        .extracting(file -> file.getPath().getName())
        .containsExactly(
            "_SUCCESS",
            "part-r-00000",
            "part-r-00001",
            "part-r-00002",
            "part-r-00003",
            "part-r-00004");
    for (int task = 0; task < 5; task++) {
      assertThat(files[task + 1].getLen()).isEqualTo(("task " + task).length());
    }
  }
}
