package dev.sailfish.benchmarks.simulations.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sailfish.benchmarks.simulations.edge.RecoveryComparison.Result;
import dev.sailfish.lineage.edge.checkpoint.ArrivalOrder;
import dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy;
import dev.sailfish.lineage.edge.checkpoint.EdgePolicy;
import dev.sailfish.lineage.edge.checkpoint.EdgeSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The numbers of sections 7.3, 7.5 and 7.6 of the paper, and where ours are others. */
class EdgeFiguresTest {
  private static final int FITTING_INTERVAL = 2;

  /** Edge first, then fixed intervals of 1 to 20 jobs. */
  private static List<Result> recovery(int chains, List<Double> means, double sigma) {
    List<Supplier<CheckpointPolicy>> policies = new ArrayList<>();
    policies.add(() -> new EdgePolicy(EdgeSettings.LEAVES_ALONE));
    for (int interval = 1; interval <= 20; interval++) {
      int jobs = interval;
      policies.add(() -> ArrivalOrder.fixedInterval(jobs));
    }
    return new RecoveryComparison(new Iterations(chains, 100, means, sigma, 15), 1000, 1)
        .compare(policies);
  }

  /** Two jobs of 10 s take a little longer than a checkpoint of 15 s: 2 happens to fit. */
  @ParameterizedTest
  @ValueSource(doubles = {1, 2, 5})
  void edgeBeatsAllIntervalsButTheOneThatFits(double sigma) {
    List<Result> results = recovery(1, List.of(10.0), sigma);
    for (int interval = 1; interval <= 20; interval++) {
      if (interval != FITTING_INTERVAL) {
        assertThat(results.get(interval).isBeatenByFirst()).as("interval %d", interval).isTrue();
      }
    }
    assertThat(results.get(FITTING_INTERVAL).aboveFirstSeconds()).isBetween(-3.0, 0.0);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 2, 5})
  void edgeBeatsAllIntervalsWhereJobsTakeDifferentTimes(double sigma) {
    List<Result> results = recovery(1, List.of(2.5, 20.0, 2.5, 20.0), sigma);
    for (int interval = 1; interval <= 20; interval++) {
      assertThat(results.get(interval).isBeatenByFirst()).as("interval %d", interval).isTrue();
    }
  }

  @Test
  void section75() {
    RecomputeCost cost = RecomputeCost.PAPER;
    assertThat(cost.seconds(128)).isEqualTo(655, within(0.5));
    assertThat(100 * cost.share(1000, 128)).isEqualTo(0.7, within(0.1));
    assertThat(100 * cost.share(5000, 1024)).isEqualTo(30, within(0.5));
    double mttf3Years = 1000 / (3 * 365.0);
    RecomputeCost exact = new RecomputeCost(mttf3Years, 200, 1);
    assertThat(100 * exact.share(1000, 128)).isEqualTo(0.69, within(0.01));
  }

  /** Figure 11: what part of the cluster a failure has to block for the paper's numbers. */
  @Test
  void figure11() {
    assertThat(100 * new RecomputeCost(1, 200, 0.0297).share(5000, 1024))
        .as("Facebook")
        .isEqualTo(0.9, within(0.01));
    assertThat(100 * new RecomputeCost(1, 200, 0.0527).share(5000, 1024))
        .as("Bing")
        .isEqualTo(1.6, within(0.01));
  }

  /** The paper has 40 % at T = 4. */
  @Test
  void section76() {
    TrafficSimulation simulation = new TrafficSimulation(1000, 0.6, 0.84, 0, 10, 1);
    assertThat(100 * simulation.saved(3)).isEqualTo(40, within(2.0));
    assertThat(100 * simulation.saved(4)).isEqualTo(45, within(2.0));
    for (int time = 10; time <= 20; time += 5) {
      assertThat(100 * simulation.saved(time)).isEqualTo(50, within(1.5));
    }
  }
}
