package dev.sailfish.lineage.edge.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What half a million files cost, of jobs with a hundred outputs each. */
class EdgePolicyMemoryTest {
  private static final int FILES = 500_000;
  private static final int OUTPUTS = 100;

  @Test
  void aFileCostsAboutFiftyBytes() {
    long before = used();
    EdgePolicy policy = new EdgePolicy(EdgeSettings.DEFAULT);
    for (int job = 0; job < FILES / OUTPUTS; job++) {
      long[] outputs = new long[OUTPUTS];
      for (int i = 0; i < OUTPUTS; i++) {
        outputs[i] = 1L << 32 | (long) job * OUTPUTS + i;
      }
      policy.submitted(new long[] {outputs[0] - 1}, outputs, 0);
      for (long output : outputs) {
        policy.completed(output, 0);
      }
    }
    assertThat(policy.next(0)).isPresent();
    double perFile = (used() - before) / (double) FILES;
    assertThat(policy.files()).isEqualTo(FILES + 1);
    assertThat(perFile).as("bytes per file").isBetween(40.0, 60.0);
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
