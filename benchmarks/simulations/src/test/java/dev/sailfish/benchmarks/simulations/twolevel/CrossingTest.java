package dev.sailfish.benchmarks.simulations.twolevel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CrossingTest {
  @Test
  void itIsTheFirstNumberOfNodesWithMore() {
    assertThat(Crossing.find(nodes -> 10, nodes -> 55.0 / nodes))
        .contains(new Crossing(6, 60, 6 * (55.0 / 6)));
  }

  @Test
  void asMuchIsNotMore() {
    assertThat(Crossing.find(nodes -> 10, nodes -> 50.0 / nodes).orElseThrow().nodes())
        .isEqualTo(6);
  }

  @Test
  void oneNodeMayBeEnough() {
    assertThat(Crossing.find(nodes -> 2, nodes -> 1)).contains(new Crossing(1, 2, 1));
  }

  @Test
  void theFirstOfSeveralCounts() {
    assertThat(Crossing.find(nodes -> nodes % 4, nodes -> 2).orElseThrow().nodes()).isEqualTo(3);
  }

  @Test
  void linesThatDoNotCrossHaveNone() {
    assertThat(Crossing.find(nodes -> 1, nodes -> 1)).isEmpty();
    assertThat(Crossing.find(nodes -> nodes < Crossing.MOST_NODES ? 0 : 2, nodes -> 1))
        .as("the last one that is looked at")
        .isPresent();
  }
}
