package dev.sailfish.benchmarks.chunkserver;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/** CPU time of this process, all threads, user and system. */
final class ProcessCpu {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final double NS_PER_S = 1e9;

  private ProcessCpu() {}

  /** What is measured. */
  interface Work {
    void run() throws IOException, InterruptedException;
  }

  /** How many seconds some work takes. */
  static double seconds(Work work) throws IOException, InterruptedException {
    long before = SYSTEM.getProcessCpuTime();
    work.run();
    return (SYSTEM.getProcessCpuTime() - before) / NS_PER_S;
  }
}
