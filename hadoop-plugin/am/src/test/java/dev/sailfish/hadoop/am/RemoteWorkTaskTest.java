package dev.sailfish.hadoop.am;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.auto.RemoteWorkTask;
import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.ReduceTaskAttemptImpl;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.yarn.util.SystemClock;
import org.junit.jupiter.api.Test;

class RemoteWorkTaskTest {
  private static final TaskAttemptID ATTEMPT =
      TaskAttemptID.forName("attempt_1700000000000_0001_r_000004_2");

  private static Task stock() {
    JobConf conf = new JobConf();
    conf.set(MRJobConfig.USER_NAME, "somebody");
    return new ReduceTaskAttemptImpl(
            TypeConverter.toYarn(ATTEMPT).getTaskId(),
            2,
            event -> {},
            null,
            4,
            17,
            conf,
            null,
            null,
            null,
            SystemClock.getInstance(),
            null)
        .createRemoteTask();
  }

  @Test
  void shouldBringTheWorkAndAllThatStockSends() throws IOException {
    Task stock = stock();
    byte[] work = {1, 2, 3};
    Task sent = RemoteWorkTask.of(stock, work);
    assertThat(sent.getConf()).isSameAs(stock.getConf());

    DataOutputBuffer written = new DataOutputBuffer();
    sent.write(written);
    DataInputBuffer read = new DataInputBuffer();
    read.reset(written.getData(), written.getLength());
    ReduceTask arrived = new ReduceTask();
    arrived.readFields(read);
    assertThat(RemoteWorkTask.workOf(arrived)).isEqualTo(work);
    assertThat(arrived.getTaskID()).isEqualTo(ATTEMPT);
    assertThat(arrived.getPartition()).isEqualTo(4);
    assertThat(arrived.getNumMaps()).isEqualTo(17);
  }

  @Test
  void shouldFindNoWorkInATaskOfStock() {
    assertThat(RemoteWorkTask.workOf(stock())).isEmpty();
  }
}
