package dev.sailfish.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** What somebody was told is kept is there after a crash, and what else is there came next. */
@Seeded
class SimulatedDiskTest {
  private static final long MILLI = 1_000_000;
  private static final int ENTRIES = 20;

  private static Scheduler written(
      Seed seed, List<Integer> told, long crashNs, List<List<Integer>> found) throws Exception {
    Scheduler scheduler = new Scheduler(seed.value());
    SimulatedDisk<Integer> disk = new SimulatedDisk<>(scheduler, 30 * MILLI);
    SimulatedProcess writer = new SimulatedProcess("writer");
    SimulatedProcess director = new SimulatedProcess("director");
    disk.attach(writer);
    for (int entry = 0; entry < ENTRIES; entry++) {
      int number = entry;
      scheduler.after(
          entry * MILLI, "write", writer, () -> disk.write(number, () -> told.add(number)));
    }
    scheduler.after(
        crashNs,
        "crash",
        director,
        () -> {
          writer.die();
          disk.crash();
          found.add(disk.kept());
        });
    scheduler.after(
        crashNs + 1_000 * MILLI,
        "end",
        director,
        () -> {
          found.add(disk.kept());
          disk.lose();
          found.add(disk.kept());
          scheduler.end();
        });
    scheduler.run();
    return scheduler;
  }

  @RepeatedTest(20)
  void crashShouldKeepABeginningWithAllThatWasTold(Seed seed) throws Exception {
    List<Integer> told = new ArrayList<>();
    List<List<Integer>> found = new ArrayList<>();
    written(seed, told, (long) (seed.splittable().nextDouble() * 40 * MILLI), found);
    List<Integer> kept = found.get(0);
    assertThat(kept)
        .isEqualTo(IntStream.range(0, kept.size()).boxed().toList())
        .startsWith(told.toArray(Integer[]::new));
    assertThat(found.get(1)).as("nothing is kept later").isEqualTo(kept);
    assertThat(found.get(2)).isEmpty();
  }

  @Test
  void withoutACrashAllShouldBeKeptAndTold(Seed seed) throws Exception {
    List<Integer> told = new ArrayList<>();
    List<List<Integer>> found = new ArrayList<>();
    written(seed, told, 1_000 * MILLI, found);
    assertThat(told).hasSize(ENTRIES).isEqualTo(found.get(0));
  }
}
