package dev.sailfish.hadoop.warm;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Test;

class ChildPartsTest {
  @Test
  void shouldFindAllPartsAndNameTheJvmAsHadoopDoes() throws Exception {
    ChildParts parts = new ChildParts();
    TaskAttemptID first = new TaskAttemptID("1700000000000", 1, TaskType.MAP, 0, 0);
    Object id = parts.jvmId(first, 2);
    assertThat(id).hasToString("jvm_1700000000000_0001_m_000002");
    assertThat(parts.jvmContext(id)).isNotNull();
  }
}
