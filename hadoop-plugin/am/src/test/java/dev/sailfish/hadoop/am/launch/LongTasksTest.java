package dev.sailfish.hadoop.am.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.am.launch.LongTasks.Times;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LongTasksTest {
  private static final long NOW = 100_000;

  private final Map<String, Times> times = new HashMap<>();
  private final LongTasks<String> tasks = new LongTasks<>(times::get);

  private void started(String attempt, long launchedMs, long finishedMs) {
    times.put(attempt, new Times(launchedMs, finishedMs));
    tasks.started(attempt);
  }

  @Test
  void nothingIsKnownBeforeTheFirst() {
    assertThat(tasks.any(NOW)).isNull();
  }

  @Test
  void shortOnesAreNoReason() {
    started("a", NOW - 30_000, NOW - 20_000);
    started("b", NOW - 5_000, 0);
    started("c", 0, 0);
    assertThat(tasks.any(NOW)).isNull();
  }

  @Test
  void oneThatHasLastedLongIsFoundBehindShortOnes() {
    started("a", NOW - 30_000, NOW - 20_000);
    started("b", NOW - 30_000, NOW - 30_000 + LongTasks.LONG_MS + 1);
    assertThat(tasks.any(NOW)).isEqualTo("b");
    started("c", NOW - 1, NOW);
    assertThat(tasks.any(NOW)).isEqualTo("b");
  }

  @Test
  void oneThatRunsLongIsFound() {
    started("a", NOW, 0);
    assertThat(tasks.any(NOW + LongTasks.LONG_MS)).isNull();
    assertThat(tasks.any(NOW + LongTasks.LONG_MS + 1)).isEqualTo("a");
  }
}
