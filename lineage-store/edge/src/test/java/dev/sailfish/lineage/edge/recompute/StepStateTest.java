package dev.sailfish.lineage.edge.recompute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each arrow between the states of a step, and none that is not there. */
class StepStateTest {
  private static final RecomputeStep STEP =
      new RecomputeStep(
          new Dependency(7, List.of(), List.of(1L), DependencyType.WIDE),
          List.of(1L),
          List.of(),
          List.of(),
          0);

  private static final Map<StepState, List<StepState>> WAYS =
      Map.of(
          StepState.WAITING, List.of(),
          StepState.READY, List.of(StepState.READY),
          StepState.RUNNING, List.of(StepState.READY, StepState.RUNNING),
          StepState.BACKING_OFF, List.of(StepState.READY, StepState.RUNNING, StepState.BACKING_OFF),
          StepState.DONE, List.of(StepState.READY, StepState.RUNNING, StepState.DONE),
          StepState.GIVEN_UP, List.of(StepState.READY, StepState.RUNNING, StepState.GIVEN_UP),
          StepState.DROPPED, List.of(StepState.DROPPED));

  @ParameterizedTest
  @EnumSource
  void aStepGoesWhereItsStateSays(StepState from) {
    for (StepState to : StepState.values()) {
      StepProgress progress = new StepProgress(STEP, 0);
      WAYS.get(from).forEach(progress::move);
      if (from.next().contains(to)) {
        progress.move(to);
        assertThat(progress.state()).isEqualTo(to);
      } else {
        assertThatIllegalStateException()
            .isThrownBy(() -> progress.move(to))
            .withMessage("dependency 0000000000000007: %s cannot follow %s".formatted(to, from));
      }
    }
  }
}
