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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The numbers of sections 7.3, 7.5 and 7.6 of the paper, and where ours are others. */
class EdgeFiguresTest {
  private static final int FITTING_INTERVAL = 2;
  private static final List<Double> EQUAL = List.of(10.0);
  private static final List<Double> PHASES = List.of(2.5, 20.0, 2.5, 20.0);

  /** Edge first, then fixed intervals of 1 to 20 jobs. */
  private static List<Result> recovery(
      EdgeSettings settings, int chains, List<Double> means, double sigma) {
    List<Supplier<CheckpointPolicy>> policies = new ArrayList<>();
    policies.add(() -> new EdgePolicy(settings));
    for (int interval = 1; interval <= 20; interval++) {
      int jobs = interval;
      policies.add(() -> ArrivalOrder.fixedInterval(jobs));
    }
    return new RecoveryComparison(new Iterations(chains, 100, means, sigma, 15), 1000, 1)
        .compare(policies);
  }

  /**
   * Two jobs of 10 s take a little longer than a checkpoint of 15 s: an interval of 2 happens to
   * fit, and with jobs that are nearly equal Edge does the same most of the time. There the
   * difference is small, and more is drawn; with a standard deviation of 1 s it is not more than
   * chance may make of it.
   */
  @ParameterizedTest
  @CsvSource({"1,1", "1,2", "1,5", "2,1", "2,2", "2,5"})
  void edgeBeatsEachInterval(int chains, double sigma) {
    List<Result> results = recovery(EdgeSettings.PATIENT_LEAVES, chains, EQUAL, sigma);
    for (int interval = 1; interval <= 20; interval++) {
      if (chains > 1 || interval != FITTING_INTERVAL) {
        assertThat(results.get(interval).isBeatenByFirst()).as("interval %d", interval).isTrue();
      }
    }
    if (chains == 1) {
      Result fitting =
          new RecoveryComparison(new Iterations(1, 100, EQUAL, sigma, 15), 12_000, 1)
              .compare(
                  List.of(
                      () -> new EdgePolicy(EdgeSettings.PATIENT_LEAVES),
                      () -> ArrivalOrder.fixedInterval(FITTING_INTERVAL)))
              .get(1);
      assertThat(fitting.aboveFirstSeconds()).as("%s", fitting).isPositive();
      assertThat(fitting.isBeatenByFirst() || sigma <= 1).as("%s", fitting).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({"1,1", "1,2", "1,5", "2,1", "2,2", "2,5"})
  void edgeBeatsEachIntervalWhereJobsTakeDifferentTimes(int chains, double sigma) {
    List<Result> results = recovery(EdgeSettings.PATIENT_LEAVES, chains, PHASES, sigma);
    for (int interval = 1; interval <= 20; interval++) {
      assertThat(results.get(interval).isBeatenByFirst()).as("interval %d", interval).isTrue();
    }
  }

  /** Two jobs of 10 s take a little longer than a checkpoint of 15 s: 2 happens to fit. */
  @ParameterizedTest
  @ValueSource(doubles = {1, 2, 5})
  void byThePapersLetterEdgeBeatsAllIntervalsButTheOneThatFits(double sigma) {
    List<Result> results = recovery(EdgeSettings.LEAVES_ALONE, 1, EQUAL, sigma);
    for (int interval = 1; interval <= 20; interval++) {
      if (interval != FITTING_INTERVAL) {
        assertThat(results.get(interval).isBeatenByFirst()).as("interval %d", interval).isTrue();
      }
    }
    assertThat(results.get(FITTING_INTERVAL).aboveFirstSeconds()).isBetween(-3.0, 0.0);
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
