package dev.sailfish.lineage.edge.recompute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RecomputationTest {
  private final LineageRecords lineage =
      new LineageRecords()
          .wide(10, List.of(), 1L)
          .wide(11, List.of(), 2L)
          .wide(20, List.of(1L, 2L), 3L, 4L)
          .wide(30, List.of(3L), 5L);
  private final Recomputation recomputation = new Recomputation(new Backoff(3, 10, 15));

  private List<Long> ready(long nowNs) {
    return recomputation.ready(nowNs).stream().map(RecomputeStep::id).toList();
  }

  private StepState state(long dependency) {
    return recomputation.step(dependency).orElseThrow().state();
  }

  private void run(long dependency) {
    recomputation.started(dependency);
    recomputation
        .step(dependency)
        .orElseThrow()
        .step()
        .outputs()
        .forEach(output -> lineage.available(output));
    recomputation.done(dependency);
  }

  @Test
  void rootsRunSideBySideAndTheRestWhenItsInputsAreThere() {
    recomputation.follow(lineage.plan(5L));
    assertThat(ready(0)).containsExactly(10L, 11L);
    run(11);
    assertThat(ready(0)).containsExactly(10L);
    run(10);
    assertThat(ready(0)).containsExactly(20L);
    run(20);
    run(30);
    assertThat(ready(0)).isEmpty();
    assertThat(recomputation.steps())
        .allSatisfy(step -> assertThat(step.state()).isEqualTo(StepState.DONE));
  }

  @Test
  void aStepThatCannotSucceedIsGivenUpAtOnce() {
    recomputation.follow(lineage.plan(1L));
    assertThatIllegalStateException().isThrownBy(() -> recomputation.failedForGood(10, "gone"));
    recomputation.started(10);
    recomputation.failedForGood(10, "the program is gone");
    assertThat(state(10)).isEqualTo(StepState.GIVEN_UP);
    assertThat(recomputation.step(10).orElseThrow().failures()).isEqualTo(1);
    assertThat(recomputation.step(10).orElseThrow().lastFailure()).hasValue("the program is gone");
    recomputation.failedForGood(11, "nobody needs it");
    recomputation.retry(10);
    assertThat(ready(0)).containsExactly(10L);
  }

  @Test
  void aStepThatFailsIsTriedAgainLaterAndNotForEver() {
    recomputation.follow(lineage.plan(1L));
    recomputation.started(10);
    recomputation.failed(10, 100, "no room");
    assertThat(state(10)).isEqualTo(StepState.BACKING_OFF);
    assertThat(recomputation.nextAttemptNs()).hasValue(110);
    assertThat(ready(109)).isEmpty();
    assertThat(ready(110)).containsExactly(10L);
    recomputation.started(10);
    recomputation.failed(10, 200, "no room");
    assertThat(ready(214)).as("at most the longest wait").isEmpty();
    assertThat(ready(215)).containsExactly(10L);
    recomputation.started(10);
    recomputation.failed(10, 300, "no room at all");
    assertThat(state(10)).isEqualTo(StepState.GIVEN_UP);
    assertThat(recomputation.step(10).orElseThrow().lastFailure()).hasValue("no room at all");
    assertThat(recomputation.step(10).orElseThrow().failures()).isEqualTo(3);
    assertThat(recomputation.nextAttemptNs()).isEmpty();
    recomputation.follow(lineage.plan(1L));
    assertThat(ready(1000)).as("a new plan does not try it again").isEmpty();
    recomputation.retry(10);
    assertThat(ready(1000)).containsExactly(10L);
    assertThatIllegalStateException().isThrownBy(() -> recomputation.retry(10));
  }

  @Test
  void inputsThatAreLostAgainAreMadeAgainFirst() {
    recomputation.follow(lineage.plan(3L));
    run(10);
    run(11);
    recomputation.started(20);
    lineage.available.remove(1L);
    recomputation.follow(lineage.plan(3L));
    recomputation.inputsLost(20);
    assertThat(state(20)).isEqualTo(StepState.WAITING);
    assertThat(recomputation.step(20).orElseThrow().failures()).isZero();
    assertThat(ready(0)).containsExactly(10L);
    run(10);
    assertThat(ready(0)).containsExactly(20L);
    assertThatIllegalStateException().isThrownBy(() -> recomputation.inputsLost(20));
  }

  @Test
  void anInputThatIsLostMakesAReadyStepWait() {
    recomputation.follow(lineage.plan(3L));
    run(10);
    run(11);
    assertThat(ready(0)).containsExactly(20L);
    lineage.available.remove(2L);
    recomputation.follow(lineage.plan(3L));
    assertThat(state(20)).isEqualTo(StepState.WAITING);
    assertThat(ready(0)).containsExactly(11L);
  }

  @Test
  void whatARunningJobDoesNotMakeIsMadeAfterIt() {
    lineage.available(1L, 2L);
    recomputation.follow(lineage.plan(3L));
    recomputation.started(20);
    recomputation.follow(lineage.plan(3L, 4L));
    assertThat(state(20)).isEqualTo(StepState.RUNNING);
    assertThat(recomputation.step(20).orElseThrow().step().outputs()).containsExactly(3L);
    recomputation.done(20);
    assertThat(ready(0)).containsExactly(20L);
    assertThat(recomputation.step(20).orElseThrow().step().outputs()).containsExactly(3L, 4L);
  }

  @Test
  void whatNobodyNeedsAnyMoreIsDropped() {
    recomputation.follow(lineage.plan(5L));
    recomputation.started(10);
    assertThat(recomputation.follow(lineage.plan(2L)))
        .extracting(RecomputeStep::id)
        .containsExactly(10L);
    assertThat(ready(0)).containsExactly(11L);
    recomputation.done(10);
    recomputation.failed(10, 0, "too late");
    recomputation.inputsLost(10);
    assertThat(recomputation.steps()).hasSize(1);
    assertThatIllegalStateException()
        .isThrownBy(() -> recomputation.started(10))
        .withMessage("dependency 000000000000000a has no step");
  }

  @Test
  void backoffHasLimits() {
    assertThat(Backoff.DEFAULT.waitNs(1)).isEqualTo(1_000_000_000L);
    assertThat(Backoff.DEFAULT.waitNs(1_000_000)).isEqualTo(60_000_000_000L);
    assertThat(new Backoff(1, 0, Long.MAX_VALUE).waitNs(5)).isZero();
    assertThat(new Backoff(1, 1, Long.MAX_VALUE).waitNs(100)).isEqualTo(Long.MAX_VALUE);
    assertThatIllegalArgumentException().isThrownBy(() -> new Backoff(0, 0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new Backoff(1, 2, 1));
  }

  /** Files are lost while others are recomputed: in the end all are there. */
  @Seeded
  @RepeatedTest(100)
  void everythingComesBackWhileMoreIsLost(SplittableRandom random) {
    Recomputation many = new Recomputation(new Backoff(Integer.MAX_VALUE, 1, 1));
    LineageRecords records = new LineageRecords();
    for (long file = 0; file < 40; file++) {
      Set<Long> inputs = new HashSet<>();
      for (int i = 0; i < 3 && file > 0; i++) {
        inputs.add(random.nextLong(file));
      }
      records.wide(100 + file, List.copyOf(inputs), file);
    }
    Set<Long> running = new HashSet<>();
    RecomputePlanner planner = new RecomputePlanner(records);
    many.follow(planner.plan(List.of(39L, 38L, 37L)));
    for (int now = 0; now < 1500; now++) {
      if (now < 500 && random.nextInt(5) == 0 && !records.available.isEmpty()) {
        records.available.remove(List.copyOf(records.available).get(0));
        many.follow(planner.plan(List.of(39L, 38L, 37L)))
            .forEach(needless -> running.remove(needless.id()));
      }
      for (RecomputeStep step : many.ready(now)) {
        many.started(step.id());
        running.add(step.id());
      }
      for (long id : new ArrayList<>(running)) {
        end(many, records, id, now, random);
        running.remove(id);
      }
    }
    assertThat(records.available).contains(39L, 38L, 37L);
    assertThat(many.ready(1500)).isEmpty();
  }

  private static void end(
      Recomputation many, LineageRecords records, long id, long now, SplittableRandom random) {
    RecomputeStep step = many.step(id).orElseThrow().step();
    if (!records.available.containsAll(step.inputs())) {
      many.inputsLost(id);
    } else if (now < 500 && random.nextInt(4) == 0) {
      many.failed(id, now, "by chance");
    } else {
      records.available.addAll(step.outputs());
      many.done(id);
    }
  }
}
