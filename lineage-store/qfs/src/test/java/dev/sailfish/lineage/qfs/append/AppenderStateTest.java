package dev.sailfish.lineage.qfs.append;

import static dev.sailfish.lineage.qfs.append.AppenderState.ALLOCATED;
import static dev.sailfish.lineage.qfs.append.AppenderState.APPENDING;
import static dev.sailfish.lineage.qfs.append.AppenderState.BOUND;
import static dev.sailfish.lineage.qfs.append.AppenderState.CLOSED;
import static dev.sailfish.lineage.qfs.append.AppenderState.FAILED;
import static dev.sailfish.lineage.qfs.append.AppenderState.FULL;
import static dev.sailfish.lineage.qfs.append.AppenderState.IN_DOUBT;
import static dev.sailfish.lineage.qfs.append.AppenderState.RESERVED;
import static dev.sailfish.lineage.qfs.append.AppenderState.UNBOUND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AppenderStateTest {
  private static final Map<AppenderState, List<AppenderState>> WAYS =
      Map.of(
          UNBOUND, List.of(),
          ALLOCATED, List.of(ALLOCATED),
          BOUND, List.of(ALLOCATED, BOUND),
          RESERVED, List.of(ALLOCATED, BOUND, RESERVED),
          APPENDING, List.of(ALLOCATED, BOUND, RESERVED, APPENDING),
          IN_DOUBT, List.of(ALLOCATED, BOUND, RESERVED, APPENDING, IN_DOUBT),
          FULL, List.of(ALLOCATED, FULL),
          CLOSED, List.of(CLOSED),
          FAILED, List.of(FAILED));

  private static final Map<AppenderState, Set<AppenderState>> ARROWS =
      Map.of(
          UNBOUND, Set.of(ALLOCATED, CLOSED, FAILED),
          ALLOCATED, Set.of(BOUND, UNBOUND, FULL, FAILED),
          BOUND, Set.of(RESERVED, UNBOUND, FULL, CLOSED, FAILED),
          RESERVED, Set.of(APPENDING, BOUND, CLOSED, FAILED),
          APPENDING, Set.of(RESERVED, UNBOUND, IN_DOUBT, FAILED),
          IN_DOUBT, Set.of(UNBOUND, FAILED),
          FULL, Set.of(UNBOUND, FAILED),
          CLOSED, Set.of(),
          FAILED, Set.of());

  private static ChunkAppender in(AppenderState state) {
    ScriptedCalls calls = new ScriptedCalls();
    ChunkAppender appender = new ChunkAppender("/f", calls, ScriptedCalls.SETTINGS, calls);
    WAYS.get(state).forEach(appender::become);
    return appender;
  }

  @ParameterizedTest
  @EnumSource
  void eachArrowAndNoOther(AppenderState state) {
    for (AppenderState next : AppenderState.values()) {
      ChunkAppender appender = in(state);
      if (ARROWS.get(state).contains(next)) {
        appender.become(next);
        assertThat(appender.state()).isEqualTo(next);
      } else {
        assertThatIllegalStateException()
            .isThrownBy(() -> appender.become(next))
            .withMessageContaining(next + " does not follow " + state);
      }
    }
  }
}
