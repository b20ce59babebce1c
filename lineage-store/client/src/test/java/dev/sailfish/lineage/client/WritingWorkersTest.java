package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import dev.sailfish.testkit.ManualNanoClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WritingWorkersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ManualNanoClock time = new ManualNanoClock();

  /** What the master names, one answer after the other, the last one again and again. */
  private final Deque<List<WorkerAddress>> answers = new ArrayDeque<>();

  /** What was refused when it was asked. */
  private final List<Set<Integer>> asked = new ArrayList<>();

  private final List<Integer> tried = new ArrayList<>();
  private final Map<Integer, IOException> failures = new HashMap<>();
  private int pauses;

  /** Time passes by waits alone. */
  private final Clock clock =
      new Clock() {
        @Override
        public long nanoTime() {
          return time.getAsLong();
        }

        @Override
        public void pause(long untilNs, String what) {
          pauses++;
          time.advance(Duration.ofNanos(untilNs - time.getAsLong()));
        }
      };

  private static WorkerAddress worker(int number) {
    return WorkerAddress.newBuilder().setNumber(number).setHost("h").setPort(1000 + number).build();
  }

  private static List<WorkerAddress> workers(int... numbers) {
    List<WorkerAddress> all = new ArrayList<>();
    for (int number : numbers) {
      all.add(worker(number));
    }
    return all;
  }

  private WritingWorkers named(int... numbers) {
    return new WritingWorkers(
        "f",
        workers(numbers),
        refused -> {
          asked.add(refused);
          return answers.size() > 1 ? answers.poll() : answers.peek();
        },
        clock,
        PATIENCE);
  }

  private int ask(WorkerAddress worker) throws IOException {
    tried.add(worker.getNumber());
    IOException failure = failures.get(worker.getNumber());
    if (failure != null) {
      throw failure;
    }
    return worker.getNumber();
  }

  private void fails(int worker, Status status) {
    failures.put(worker, new RemoteException(status, "worker " + worker + " does not"));
  }

  @Test
  void theBestOneThatTakesItHasItAndIsAskedFirstNextTime() throws IOException {
    WritingWorkers workers = named(1, 2, 3);
    assertThat(workers.best()).isEqualTo(worker(1));
    fails(1, Status.DRAINING);
    assertThat(workers.first(this::ask)).isEqualTo(2);
    assertThat(workers.best()).isEqualTo(worker(2));
    failures.clear();
    assertThat(workers.first(this::ask)).isEqualTo(2);
    assertThat(tried).containsExactly(1, 2, 2);
    assertThat(asked).isEmpty();
  }

  @Test
  void whenNoneIsLeftTheMasterNamesOthersAtOnce() throws IOException {
    WritingWorkers workers = named(1, 2);
    fails(1, Status.NO_SPACE);
    failures.put(2, new IOException("cannot connect to h:1002: Connection refused"));
    answers.add(workers(4));
    assertThat(workers.first(this::ask)).isEqualTo(4);
    assertThat(asked).containsExactly(Set.of(1, 2));
    assertThat(pauses).isZero();
    fails(4, Status.DRAINING);
    answers.clear();
    answers.add(workers(5));
    assertThat(workers.first(this::ask)).as("a later block").isEqualTo(5);
    assertThat(asked.get(1)).containsExactlyInAnyOrder(1, 2, 4);
  }

  @Test
  void whenThereAreNoOthersAllAreAskedForAfterAWait() throws IOException {
    WritingWorkers workers = named(1);
    fails(1, Status.DRAINING);
    answers.add(List.of());
    answers.add(List.of());
    answers.add(workers(6));
    assertThat(workers.first(this::ask)).isEqualTo(6);
    assertThat(asked).containsExactly(Set.of(1), Set.of(), Set.of());
    assertThat(pauses).isEqualTo(2);
    assertThat(tried).containsExactly(1, 6);
  }

  @Test
  void aFileForWhichNobodyIsNamedWaits() throws IOException {
    answers.add(List.of());
    answers.add(workers(1));
    assertThat(named().first(this::ask)).isEqualTo(1);
    assertThat(pauses).isEqualTo(1);
  }

  @Test
  void whereAllAreFullNobodyWaitsOnceMore() {
    fails(1, Status.NO_SPACE);
    fails(2, Status.NO_SPACE);
    answers.add(workers(2));
    answers.add(List.of());
    assertThatThrownBy(() -> named(1).first(this::ask))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "no worker takes a block of f: do workers run, and have they room?"
                + " worker 1 does not [NO_SPACE]; worker 2 does not [NO_SPACE]");
    assertThat(tried).containsExactly(1, 2);
    assertThat(pauses).isZero();
  }

  @Test
  void oneThatIsFullBesideOneThatIsDrainedIsAskedAgain() throws IOException {
    WritingWorkers workers = named(1, 2);
    fails(1, Status.NO_SPACE);
    fails(2, Status.DRAINING);
    answers.add(List.of());
    answers.add(workers(1));
    answers.add(workers(3));
    assertThat(workers.first(this::ask)).isEqualTo(3);
    assertThat(tried).containsExactly(1, 2, 1, 3);
    assertThat(asked).containsExactly(Set.of(1, 2), Set.of(), Set.of(1));
  }

  @Test
  void oneThatIsFullWhenTheDeadOneIsForgottenSaysSo() {
    WritingWorkers workers = named(1, 2);
    fails(1, Status.NO_SPACE);
    failures.put(2, new IOException("cannot connect to h:1002: Connection refused"));
    answers.add(List.of());
    answers.add(workers(1));
    answers.add(List.of());
    assertThatThrownBy(() -> workers.first(this::ask))
        .hasMessageContaining("worker 1 does not [NO_SPACE]")
        .hasMessageContaining("cannot connect to h:1002");
    assertThat(pauses).isEqualTo(1);
  }

  @Test
  void inTimeItSaysWhatEachHasSaidLast() {
    WritingWorkers workers = named(1, 2);
    fails(1, Status.DRAINING);
    failures.put(2, new IOException("cannot connect to h:1002: Connection refused"));
    answers.add(List.of());
    answers.add(workers(2));
    long beganNs = time.getAsLong();
    assertThatThrownBy(() -> workers.first(this::ask))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "no worker takes a block of f: do workers run, and have they room?"
                + " worker 1 does not [DRAINING]; cannot connect to h:1002: Connection refused")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
    assertThat(Duration.ofNanos(time.getAsLong() - beganNs))
        .isBetween(PATIENCE.minusSeconds(2), PATIENCE);
    assertThat(pauses).as("with waits that grow to a second").isBetween(60, 90);
  }

  @Test
  void theFirstQuestionIsNeverTooLateAndNoOtherIs() {
    WritingWorkers workers = named(1);
    answers.add(workers(2));
    answers.add(workers(3));
    assertThatThrownBy(
            () ->
                workers.first(
                    worker -> {
                      time.advance(PATIENCE.plusSeconds(1));
                      fails(worker.getNumber(), Status.DEADLINE);
                      return ask(worker);
                    }))
        .hasMessageContaining("worker 2 does not [DEADLINE]");
    assertThat(tried).containsExactly(1, 2);
  }

  @Test
  void whatNoOtherWouldDoEitherIsNotAskedFor() {
    fails(1, Status.FORBIDDEN);
    fails(2, Status.CONFLICT);
    assertThatThrownBy(() -> named(1, 2).first(this::ask))
        .hasMessageContaining("worker 1 does not [FORBIDDEN]; worker 2 does not [CONFLICT]");
    assertThat(asked).isEmpty();
    fails(1, Status.UNAUTHENTICATED);
    tried.clear();
    assertThatThrownBy(() -> named(1, 2).first(this::ask)).isSameAs(failures.get(1));
    assertThat(tried).containsExactly(1);
  }

  @Test
  void whatTheMasterRefusesIsSaidWithWhatWorkersHaveSaid() {
    fails(1, Status.DRAINING);
    StoreRefusedException gone =
        new StoreRefusedException(
            Refusal.newBuilder()
                .setReason(Refusal.Reason.NOT_FOUND)
                .setMessage("there is no such file")
                .build());
    WritingWorkers workers =
        new WritingWorkers(
            "f",
            workers(1),
            refused -> {
              throw gone;
            },
            clock,
            PATIENCE);
    assertThatThrownBy(() -> workers.first(this::ask)).isSameAs(gone);
    assertThat(gone.getSuppressed()).containsExactly(failures.get(1));
  }
}
