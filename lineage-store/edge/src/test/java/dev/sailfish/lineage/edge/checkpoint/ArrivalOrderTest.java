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
      policy.submitted(file == 1 ? new long[0] : new long[] {file - 1}, new long[] {file}, 0);
      policy.completed(file, 0);
      policy.completed(file, 0);
      policy.read(file);
    }
    return policy;
  }

  private static List<Long> written(CheckpointPolicy policy) {
    List<Long> written = new ArrayList<>();
    for (OptionalLong next = policy.next(0); next.isPresent(); next = policy.next(0)) {
      policy.started(next.getAsLong(), 0);
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
    policy.completed(3, 0);
    assertThat(written(policy)).containsExactly(3L);
  }

  @Test
  void aFailedWriteComesAgain() {
    CheckpointPolicy policy = withChain(ArrivalOrder.creationOrder(), 2);
    policy.started(1, 0);
    assertThatIllegalStateException().isThrownBy(() -> policy.started(1, 0));
    policy.failed(1, 1);
    policy.failed(1, 1);
    assertThat(written(policy)).containsExactly(2L, 1L);
  }

  @Test
  void whatComesBackUnwrittenIsTheFirstAgain() {
    for (CheckpointPolicy policy :
        List.of(
            withChain(ArrivalOrder.creationOrder(), 3), withChain(ArrivalOrder.latestFirst(), 3))) {
      long first = policy.next(0).orElseThrow();
      policy.started(first, 0);
      policy.returned(first);
      policy.returned(first);
      assertThat(policy.next(0)).hasValue(first);
      assertThat(policy.askAgainNs()).isEmpty();
      assertThat(written(policy)).hasSize(3);
    }
  }

  @Test
  void anIntervalIsAtLeastOneJob() {
    assertThatIllegalArgumentException().isThrownBy(() -> ArrivalOrder.fixedInterval(0));
  }
}
