package dev.sailfish.ground.server.guard;

import java.time.Duration;

/**
 * CPU time that the process may use from now on, of all threads, the compilers' too; it is used up,
 * too, when ten times as long has passed. For one thread.
 */
public final class CpuBudget {
  private static final int WALL_PER_CPU = 10;
  private static final long LOOK_NS = 20_000_000;

  private final long startNs = System.nanoTime();
  private final Duration startCpu = processCpu();
  private final long cpuNs;
  private long nextLookNs;
  private boolean usedUp;

  /** Begins to count. */
  public CpuBudget(Duration cpuTime) {
    this.cpuNs = cpuTime.toNanos();
  }

  /** Whether it is used up, by a look that is 20 ms old at most: to look takes long. */
  public boolean isUsedUp() {
    long wallNs = System.nanoTime() - startNs;
    if (wallNs >= nextLookNs) {
      nextLookNs = wallNs + LOOK_NS;
      usedUp = used().toNanos() >= cpuNs || wallNs >= cpuNs * WALL_PER_CPU;
    }
    return usedUp;
  }

  /** What was used of it. */
  public Duration used() {
    return processCpu().minus(startCpu);
  }

  /** How much time has passed. */
  public Duration passed() {
    return Duration.ofNanos(System.nanoTime() - startNs);
  }

  /** None where the system does not tell. */
  private static Duration processCpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }
}
