package dev.sailfish.benchmarks.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.benchmarks.jobs.measure.JobMetrics;
import dev.sailfish.benchmarks.jobs.measure.Measurement;
import dev.sailfish.benchmarks.jobs.workload.BenchPlan;
import dev.sailfish.benchmarks.jobs.workload.Codec;
import dev.sailfish.benchmarks.jobs.workload.Contender;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who is charged for what Sailfish's daemons use. */
class BenchRunTest {
  private static BenchRun run(Contender contender) {
    BenchPlan plan = new BenchPlan(1, 1, 1, List.of(contender), 1, Codec.NONE, Map.of());
    JobMetrics job = new JobMetrics(true, 1, 1, 1, 0, 0, List.of(), List.of(), Map.of());
    return BenchRun.of(
        "sort", plan, contender, 1, new Measurement(0, 50, 4, 3, Map.of(), job), true);
  }

  @Test
  void idleDaemonsOfSailfishAreNoCostOfStock() {
    for (Contender stock : List.of(Contender.STOCK, Contender.STOCK_TUNED)) {
      assertThat(run(stock).cpuS()).isEqualTo(46);
      assertThat(run(stock).sailfishCpuS()).isZero();
      assertThat(run(stock).idleSailfishCpuS()).isEqualTo(4);
    }
  }

  @Test
  void sailfishPaysForItsDaemons() {
    assertThat(run(Contender.SAILFISH).cpuS()).isEqualTo(50);
    assertThat(run(Contender.SAILFISH).sailfishCpuS()).isEqualTo(4);
    assertThat(run(Contender.SAILFISH).idleSailfishCpuS()).isZero();
  }
}
