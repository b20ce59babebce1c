package dev.sailfish.lineage.edge.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ArrivalOrderTest {
  private static CheckpointPolicy withChain(CheckpointPolicy policy, int length) {
    for (long file = 1; file <= length; file++) {
      policy.submitted(file == 1 ? new long[0] : new long[] {file - 1}, new long[] {file});
      policy.completed(file);
      policy.completed(file);
      policy.read(file);
    }
    return policy;
  }

  private static List<Long> written(CheckpointPolicy policy) {
    List<Long> written = new ArrayList<>();
    for (OptionalLong next = policy.next(); next.isPresent(); next = policy.next()) {
      policy.started(next.getAsLong());
      policy.checkpointed(next.getAsLong(), 1);
      written.add(next.getAsLong());
    }
    return written;
  }

  @Test
  void ordersAreWhatTheyAreCalled() {
    assertThat(written(withChain(ArrivalOrder.creationOrder(), 4))).containsExactly(1L, 2L, 3L, 4L);
    assertThat(written(withChain(ArrivalOrder.latestFirst(), 4))).containsExactly(4L, 3L, 2L, 1L);
    assertThat(written(withChain(ArrivalOrder.fixedInterval(3), 9))).containsExactly(3L, 6L, 9L);
  }

  @Test
  void deletedAndLostFilesAreNotWritten() {
    CheckpointPolicy policy = withChain(ArrivalOrder.creationOrder(), 4);
    policy.deleted(2);
    policy.lost(3);
    assertThat(written(policy)).containsExactly(1L, 4L);
    policy.completed(3);
    assertThat(written(policy)).containsExactly(3L);
  }

  @Test
  void aFailedWriteComesAgain() {
    CheckpointPolicy policy = withChain(ArrivalOrder.creationOrder(), 2);
    policy.started(1);
    assertThatIllegalStateException().isThrownBy(() -> policy.started(1));
    policy.failed(1, 1);
    policy.failed(1, 1);
    assertThat(written(policy)).containsExactly(2L, 1L);
  }

  @Test
  void anIntervalIsAtLeastOneJob() {
    assertThatIllegalArgumentException().isThrownBy(() -> ArrivalOrder.fixedInterval(0));
  }
}
