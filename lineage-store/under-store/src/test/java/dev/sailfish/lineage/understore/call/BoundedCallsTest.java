package dev.sailfish.lineage.understore.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.UnderStoreTimeoutException;
import dev.sailfish.testkit.ManualNanoClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hours pass here on the clock of the calls, and none on that of the JVM. */
@Timeout(60)
class BoundedCallsTest {
  private static final int THREADS = 2;
  private static final int WAITING = 3;
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualNanoClock clock = new ManualNanoClock();
  private final BoundedCalls calls = new BoundedCalls("/data", THREADS, WAITING, clock::getAsLong);
  private final Gate gate = new Gate();
  private final List<String> late = Collections.synchronizedList(new ArrayList<>());
  private final List<FutureTask<String>> callers = new ArrayList<>();

  @AfterEach
  void openTheGate() {
    gate.open();
    calls.close();
  }

  private FutureTask<String> caller(Callable<String> call) {
    FutureTask<String> caller = new FutureTask<>(call);
    new Thread(caller, "caller").start();
    callers.add(caller);
    return caller;
  }

  private FutureTask<String> hanging(String name) {
    return caller(
        () ->
            calls.call(
                "reading " + name,
                HOUR,
                at -> {
                  gate.pass();
                  return name;
                },
                result -> late.add(name + " " + result)));
  }

  private static Throwable failure(FutureTask<?> caller) throws InterruptedException {
    try {
      caller.get();
      throw new AssertionError("no failure");
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  private void hangAll() {
    for (int i = 0; i < THREADS; i++) {
      hanging("stuck-" + i);
    }
    await().until(() -> gate.waiting() == THREADS);
  }

  @Test
  void shouldReturnWhatTheCallReturns() throws Exception {
    int two = calls.call("adding", HOUR, caller -> 1 + 1);
    assertThat(two).isEqualTo(2);
    assertThatThrownBy(
            () ->
                calls.call(
                    "failing",
                    HOUR,
                    caller -> {
                      throw new IOException("the disk");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("the disk");
    assertThatThrownBy(
            () ->
                calls.call(
                    "failing",
                    HOUR,
                    caller -> {
                      throw new AssertionError("worse");
                    }))
        .isInstanceOf(AssertionError.class);
    await().untilAsserted(() -> assertThat(calls.usage()).isEqualTo(new CallUsage(0, 0, 0, 2)));
    assertThat(late).isEmpty();
  }

  @Test
  void shouldLetTheCallerGoAtTheDeadline() throws Exception {
    FutureTask<String> caller = hanging("a");
    await().until(() -> gate.waiting() == 1);
    clock.advance(HOUR.minusSeconds(1));
    assertThat(caller.isDone()).isFalse();
    clock.advance(Duration.ofSeconds(1));
    assertThat(failure(caller))
        .isInstanceOf(UnderStoreTimeoutException.class)
        .hasMessageContainingAll("reading a of /data", "may still happen", "3600000 ms", "stuck=1");
    assertThat(calls.usage()).isEqualTo(new CallUsage(1, 1, 0, 2));
    assertThat(late).isEmpty();
    gate.open();
    await().untilAsserted(() -> assertThat(late).containsExactly("a a"));
    await().untilAsserted(() -> assertThat(calls.usage()).isEqualTo(new CallUsage(0, 0, 0, 2)));
  }

  @Test
  void shouldRefuseAtOnceWhileAllThreadsHangAndGoOnWhenTheyComeBack() throws Exception {
    hangAll();
    clock.advance(HOUR);
    for (FutureTask<String> caller : callers) {
      assertThat(failure(caller)).isInstanceOf(UnderStoreTimeoutException.class);
    }
    for (int i = 0; i < 100; i++) {
      assertThatThrownBy(() -> calls.call("reading b", HOUR, caller -> "b", late::add))
          .isInstanceOfSatisfying(
              UnderStoreException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BUSY))
          .hasMessageContainingAll("reading b of /data", "threads=2 hang");
    }
    assertThat(calls.usage()).isEqualTo(new CallUsage(2, 2, 0, 2));
    gate.open();
    await().until(() -> calls.usage().stuck() == 0);
    String b = calls.call("reading b", HOUR, caller -> "b");
    assertThat(b).isEqualTo("b");
    assertThat(late).containsExactlyInAnyOrder("stuck-0 stuck-0", "stuck-1 stuck-1");
  }

  @Test
  void shouldRefuseMoreThanMayWait() throws Exception {
    hangAll();
    for (int i = 0; i < WAITING; i++) {
      hanging("waiting-" + i);
    }
    await().until(() -> calls.usage().waiting() == WAITING);
    assertThatThrownBy(() -> calls.call("reading c", HOUR, caller -> "c"))
        .isInstanceOfSatisfying(
            UnderStoreException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BUSY))
        .hasMessageContainingAll("reading c of /data", "waiting=3", "raise 'waiting'");
    gate.open();
    for (FutureTask<String> caller : callers) {
      assertThat(caller.get()).isNotEmpty();
    }
    assertThat(late).isEmpty();
  }

  @Test
  void shouldNotBeginWhatWaitedInVain() throws Exception {
    hangAll();
    boolean[] begun = {false};
    FutureTask<String> waiting =
        caller(
            () ->
                calls.call(
                    "reading d",
                    Duration.ofMinutes(1),
                    at -> {
                      begun[0] = true;
                      return "d";
                    },
                    result -> late.add("d " + result)));
    await().until(() -> calls.usage().waiting() == 1);
    clock.advance(Duration.ofMinutes(1));
    assertThat(failure(waiting))
        .isInstanceOf(UnderStoreTimeoutException.class)
        .hasMessageContainingAll("reading d", "waited for a thread in vain");
    gate.open();
    await().untilAsserted(() -> assertThat(late).containsExactly("d null"));
    assertThat(begun[0]).isFalse();
  }

  @Test
  void shouldInterruptWhatHangsAndNothingElse() throws Exception {
    FutureTask<String> caller =
        caller(
            () ->
                calls.call(
                    "waiting",
                    HOUR,
                    at -> {
                      try {
                        new CountDownLatch(1).await();
                        return "never";
                      } catch (InterruptedException e) {
                        late.add("interrupted, gone=" + at.isGone());
                        throw new InterruptedIOException();
                      }
                    },
                    result -> late.add("late " + result)));
    await().until(() -> calls.usage().running() == 1);
    clock.advance(HOUR);
    assertThat(failure(caller)).isInstanceOf(UnderStoreTimeoutException.class);
    await()
        .untilAsserted(
            () -> assertThat(late).containsExactly("interrupted, gone=true", "late null"));
    for (int i = 0; i < 2 * THREADS; i++) {
      boolean interrupted =
          calls.call("looking", HOUR, at -> Thread.currentThread().isInterrupted());
      assertThat(interrupted).isFalse();
    }
  }

  @Test
  void shouldLetAnInterruptedCallerGo() throws Exception {
    Thread[] thread = new Thread[1];
    FutureTask<String> caller =
        caller(
            () -> {
              thread[0] = Thread.currentThread();
              try {
                calls.call(
                    "reading e",
                    HOUR,
                    at -> {
                      gate.pass();
                      return "e";
                    });
                return "not interrupted";
              } catch (InterruptedIOException e) {
                return e.getMessage() + " " + Thread.currentThread().isInterrupted();
              }
            });
    await().until(() -> gate.waiting() == 1);
    thread[0].interrupt();
    assertThat(caller.get()).isEqualTo("interrupted: reading e true");
    assertThat(calls.usage().stuck()).isEqualTo(1);
  }

  @Test
  void shouldDeliverNothingToACallerThatHasGone() throws Exception {
    StringBuilder delivered = new StringBuilder();
    calls.call(
        "delivering",
        HOUR,
        at -> {
          at.deliver(() -> delivered.append("in time"));
          return null;
        });
    FutureTask<String> caller =
        caller(
            () ->
                calls.call(
                    "delivering",
                    HOUR,
                    at -> {
                      gate.pass();
                      at.deliver(() -> delivered.append(", too late"));
                      return "x";
                    },
                    result -> late.add(result)));
    await().until(() -> gate.waiting() == 1);
    clock.advance(HOUR);
    assertThat(failure(caller)).isInstanceOf(UnderStoreTimeoutException.class);
    gate.open();
    await().untilAsserted(() -> assertThat(late).containsExactly("x"));
    assertThat(delivered).hasToString("in time");
  }

  @Test
  void shouldDoLaterWhatNoThreadHadTimeFor() {
    hangAll();
    for (int i = 0; i < 20; i++) {
      int number = i;
      calls.later(() -> late.add("later " + number));
    }
    assertThat(late).isEmpty();
    gate.open();
    await().untilAsserted(() -> assertThat(late).hasSize(20));
  }

  @Test
  void shouldSayThatItIsUnmounted() {
    calls.close();
    assertThatThrownBy(() -> calls.call("reading", HOUR, caller -> "x"))
        .hasMessageContaining("it is unmounted");
  }
}
