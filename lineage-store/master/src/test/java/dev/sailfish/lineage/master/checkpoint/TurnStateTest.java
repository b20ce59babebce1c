package dev.sailfish.lineage.master.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TurnStateTest {
  private static final Map<TurnState, List<TurnState>> WAYS =
      Map.of(
          TurnState.ASSIGNED, List.of(),
          TurnState.ORDERED, List.of(TurnState.ORDERED),
          TurnState.TOLD, List.of(TurnState.ORDERED, TurnState.TOLD),
          TurnState.OVER, List.of(TurnState.OVER));

  private static Turn in(TurnState state) {
    Turn turn = new Turn(new CheckpointPlace(1, 2, "/m", 3), Turn.Source.POLICY, 0);
    WAYS.get(state).forEach(next -> turn.move(next, 0));
    return turn;
  }

  @ParameterizedTest
  @EnumSource
  void eachArrowAndNoOther(TurnState state) {
    Map<TurnState, Set<TurnState>> arrows =
        Map.of(
            TurnState.ASSIGNED, Set.of(TurnState.ORDERED, TurnState.OVER),
            TurnState.ORDERED, Set.of(TurnState.TOLD, TurnState.OVER),
            TurnState.TOLD, Set.of(TurnState.OVER),
            TurnState.OVER, Set.of());
    for (TurnState next : TurnState.values()) {
      Turn turn = in(state);
      if (arrows.get(state).contains(next)) {
        turn.move(next, 5);
        assertThat(turn.state()).isEqualTo(next);
      } else {
        assertThatIllegalStateException()
            .isThrownBy(() -> turn.move(next, 5))
            .withMessageContaining(next + " does not follow " + state);
      }
    }
  }
}
