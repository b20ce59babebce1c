package dev.sailfish.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import dev.sailfish.simulator.Schedules;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.SeedExtension;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs schedules. One that fails names its seed: repeat it alone with {@code -Dsailfish.seed=N
 * -Dsailfish.schedules=1}.
 */
@ExtendWith(SeedExtension.class)
class SimulationTest {
  private static final int SHORT_SCHEDULES = 100_000;
  private static final long SHORT_NS = 20_000_000_000L;
  private static final int LONG_SCHEDULES = 30_000;
  private static final long LONG_NS = Long.MAX_VALUE;
  private static final int ENOUGH_SCHEDULES = 200;
  private static final int MANY_SCHEDULES = 2000;

  private static void runMany(Seed seed, int schedules, long limitNs)
      throws IOException, InterruptedException {
    long startNs = System.nanoTime();
    long startCpuNs = cpuNs();
    Totals totals = new Totals();
    Schedules.run(
        seed, schedules, limitNs, next -> totals.add(Simulation.run(next, Sabotage.NONE)));
    System.out.println(totals.describe(System.nanoTime() - startNs, cpuNs() - startCpuNs));
    totals.checkThatTroubleCame();
  }

  /** What this process has used: on a machine that others use too, this is what it costs. */
  private static long cpuNs() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** What all schedules came to. */
  private static final class Totals {
    private int schedules;
    private long events;
    private long virtualMs;
    private long records;
    private long acked;
    private long failures;
    private long losses;
    private long serverFaults;
    private long moved;
    private long combined;
    private long pauses;
    private long silences;
    private long masterDeaths;
    private long strangers;

    void add(Simulation.Result result) {
      schedules++;
      events += result.events();
      virtualMs += result.virtualMs();
      records += result.records();
      acked += result.acked();
      failures += result.failures();
      losses += result.losses();
      serverFaults += result.serverFaults();
      moved += result.moved();
      combined += result.combined();
      pauses += result.pauses();
      silences += result.silences();
      masterDeaths += result.masterDeaths();
      strangers += result.strangers();
    }

    String describe(long ns, long cpuNs) {
      return "SimulationTest schedules="
          + schedules
          + " seconds="
          + ns / 1_000_000_000
          + " cpu seconds="
          + cpuNs / 1_000_000_000
          + " events="
          + events
          + " virtual hours="
          + virtualMs / 3_600_000
          + " records="
          + records
          + " acked blocks="
          + acked
          + " failed attempts="
          + failures
          + " losses="
          + losses
          + " server faults="
          + serverFaults
          + " moved chunks="
          + moved
          + " combined chunks="
          + combined
          + " pauses="
          + pauses
          + " silences="
          + silences
          + " deaths of the master="
          + masterDeaths
          + " strangers="
          + strangers;
    }

    /** In so many schedules each kind of trouble comes, unless it cannot come any more. */
    void checkThatTroubleCame() {
      assertThat(records).as("records delivered").isPositive();
      if (schedules >= ENOUGH_SCHEDULES) {
        assertThat(serverFaults).as("server faults").isPositive();
        assertThat(losses).as("losses").isPositive();
        assertThat(moved).as("moved chunks").isPositive();
        assertThat(pauses).as("servers that were stopped").isPositive();
        assertThat(silences).as("metaservers that heard nobody").isPositive();
        assertThat(masterDeaths).as("deaths of the ApplicationMaster").isPositive();
        assertThat(strangers).as("connections of strangers").isPositive();
      }
      if (schedules >= MANY_SCHEDULES) {
        assertThat(combined).as("combined chunks").isPositive();
      }
    }
  }

  @Test
  void invariantsShouldHoldInRandomSchedules(Seed seed) throws Exception {
    runMany(seed, SHORT_SCHEDULES, SHORT_NS);
  }

  @Test
  @Tag("long")
  void invariantsShouldHoldInTensOfThousandsOfSchedules(Seed seed) throws Exception {
    runMany(seed, LONG_SCHEDULES, LONG_NS);
  }

  @Test
  void sameSeedShouldBeTheSameSchedule(SplittableRandom random) throws Exception {
    for (int i = 0; i < 20; i++) {
      long seed = random.nextLong();
      assertThat(Simulation.run(seed, Sabotage.NONE))
          .as("seed=%d", seed)
          .isEqualTo(Simulation.run(seed, Sabotage.NONE));
    }
  }
}
