package dev.sailfish.lineage.master.dependency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each arrow of the diagram, and that there are no others. */
class OutputStateTest {
  private static final long FILE = 1L << 32;

  @ParameterizedTest
  @CsvSource({
    "PENDING, STORED",
    "PENDING, BELOW",
    "PENDING, LOST",
    "PENDING, DELETED",
    "STORED, BELOW",
    "STORED, LOST",
    "STORED, DELETED",
    "BELOW, STORED",
    "BELOW, LOST",
    "BELOW, DELETED",
    "LOST, STORED",
    "LOST, BELOW",
    "LOST, RECOMPUTING",
    "LOST, DELETED",
    "RECOMPUTING, STORED",
    "RECOMPUTING, INTERRUPTED",
    "RECOMPUTING, BELOW",
    "RECOMPUTING, DELETED",
    "INTERRUPTED, LOST",
    "INTERRUPTED, RECOMPUTING",
    "INTERRUPTED, BELOW",
    "INTERRUPTED, DELETED",
    "DELETED, REVIVING",
    "REVIVING, REVIVED",
    "REVIVING, DELETED",
    "REVIVED, REVIVING",
    "REVIVED, DELETED"
  })
  void anArrowOfTheDiagram(OutputState from, OutputState to) {
    DependencyGraph graph = in(from);
    graph.move(FILE, to);
    assertThat(graph.state(FILE)).isEqualTo(to);
    assertThat(graph.lost()).isEqualTo(to.isLost() ? 1 : 0);
  }

  @ParameterizedTest
  @MethodSource("others")
  void whatIsNoArrowIsRefused(OutputState from, OutputState to) {
    DependencyGraph graph = in(from);
    assertThatIllegalStateException()
        .isThrownBy(() -> graph.move(FILE, to))
        .withMessageContaining("%s does not follow %s", to, from);
    assertThat(graph.state(FILE)).isEqualTo(from);
  }

  static Stream<Arguments> others() {
    List<Arguments> others = new ArrayList<>();
    for (OutputState from : OutputState.values()) {
      for (OutputState to : OutputState.values()) {
        if (!from.successors().contains(to)) {
          others.add(Arguments.of(from, to));
        }
      }
    }
    return others.stream();
  }

  @Test
  void thereAreNoOtherArrows() {
    assertThat(others().count()).isEqualTo(81 - 27);
  }

  private static DependencyGraph in(OutputState state) {
    DependencyGraph graph = new DependencyGraph();
    graph.add(Records.of(graph, List.of(), List.of(Output.pending(FILE, Part.of(0)).in(state))));
    return graph;
  }
}
