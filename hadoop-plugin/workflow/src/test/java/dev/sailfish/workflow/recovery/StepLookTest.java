package dev.sailfish.workflow.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.workflow.recovery.StepLook.State;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StepLookTest {
  private static final Map<State, Set<State>> ARROWS =
      Map.of(
          State.STARTING, EnumSet.allOf(State.class),
          State.RUNNING, EnumSet.of(State.RUNNING, State.SUCCEEDED, State.FAILED),
          State.SUCCEEDED, EnumSet.of(State.SUCCEEDED),
          State.FAILED, EnumSet.of(State.FAILED));

  @Test
  void eachArrowAndNoOther() {
    for (State before : State.values()) {
      for (State next : State.values()) {
        assertThat(next.mayFollow(before))
            .as("%s after %s", next, before)
            .isEqualTo(ARROWS.get(before).contains(next));
      }
    }
  }

  @Test
  void twoStatesAreTheEnd() {
    assertThat(State.values())
        .filteredOn(State::isEnd)
        .containsExactly(State.SUCCEEDED, State.FAILED);
  }
}
