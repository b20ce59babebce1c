package dev.sailfish.lineage.master.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What dependencies cost of a master's heap, as the package's page and the operators' say it. */
class DependencyMemoryTest {
  private static final int MEASURED = 100_000;
  private static final long STATED_BYTES = 660;
  private static final int OUTPUTS = 500_000;
  private static final int OUTPUTS_PER_RECORD = 1_000;
  private static final long STATED_OUTPUT_BYTES = 125;

  @Test
  void aDependencyCostsWhatIsStated() {
    long before = heap();
    DependencyGraph large = new DependencyGraph();
    for (int i = 1; i <= MEASURED; i++) {
      Records.link(large, ((long) i << 32) | 1, ((long) i << 32) | 2, OutputState.STORED);
    }
    double bytes = (double) (heap() - before) / MEASURED;
    Reference.reachabilityFence(large);
    System.out.printf("bytes per dependency: %.1f%n", bytes);
    assertThat(bytes).isBetween(STATED_BYTES * 0.8, STATED_BYTES * 1.1);
  }

  @Test
  void anOutputCostsWhatIsStated() {
    long before = heap();
    DependencyGraph large = new DependencyGraph();
    int records = OUTPUTS / OUTPUTS_PER_RECORD;
    for (int i = 1; i <= records; i++) {
      large.add(Records.of(large, "job_" + i, List.of(), List.of()).growing(1));
    }
    for (int i = 1; i <= OUTPUTS; i++) {
      large.append(1 + i % records, Output.pending((long) i << 32, Part.of(i)), 1);
    }
    double bytes = (double) (heap() - before) / OUTPUTS;
    Reference.reachabilityFence(large);
    System.out.printf("bytes per output: %.1f%n", bytes);
    assertThat(bytes).isBetween(STATED_OUTPUT_BYTES * 0.8, STATED_OUTPUT_BYTES * 1.1);
  }

  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
