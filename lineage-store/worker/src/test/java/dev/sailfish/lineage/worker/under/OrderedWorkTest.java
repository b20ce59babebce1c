package dev.sailfish.lineage.worker.under;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.server.guard.BoundedPool;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OrderedWorkTest {
  private final OrderedWork work = new OrderedWork();

  @Test
  void doesOneAfterTheOtherOnManyThreads() {
    BoundedPool pool = new BoundedPool("test", 4, 1_000);
    List<Integer> done = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger atOnce = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    for (int i = 0; i < 500; i++) {
      int number = i;
      work.add(
          pool,
          () -> {
            most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            done.add(number);
            atOnce.decrementAndGet();
          });
    }
    await().until(work::isIdle);
    assertThat(done).isEqualTo(IntStream.range(0, 500).boxed().toList());
    assertThat(most).hasValue(1);
    pool.shutdownNow();
  }

  /** What was taken is done, also when the pool has no more time for it. */
  @Test
  void goesOnWhenThePoolIsFull() throws InterruptedException {
    BoundedPool pool = new BoundedPool("test", 1, 1);
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    List<Integer> done = Collections.synchronizedList(new ArrayList<>());
    work.add(
        pool,
        () -> {
          begun.countDown();
          awaitQuietly(gate);
          done.add(0);
        });
    begun.await();
    work.add(pool, () -> done.add(1));
    work.add(pool, () -> done.add(2));
    pool.execute(() -> done.add(99)); // the pool is full now
    gate.countDown();
    await().until(() -> work.isIdle() && done.size() == 4);
    assertThat(done).containsSubsequence(0, 1, 2);
    pool.shutdownNow();
  }

  @Test
  void refusesWhatIsNotTaken() {
    Executor full =
        refused -> {
          throw new RejectedExecutionException("full");
        };
    assertThatThrownBy(() -> work.add(full, () -> {}))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(work.isIdle()).isTrue();
    List<Integer> done = new ArrayList<>();
    work.add(Runnable::run, () -> done.add(1));
    assertThat(done).containsExactly(1);
  }

  private static void awaitQuietly(CountDownLatch gate) {
    try {
      gate.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
