package dev.sailfish.chunkserver.chunk;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** How much CPU the calling thread has used. To be asked for a chunk, not for a record. */
public final class ThreadCpu {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final boolean IS_KNOWN = THREADS.isCurrentThreadCpuTimeSupported();

  private ThreadCpu() {}

  /** In nanoseconds; always 0 where this JVM does not tell. */
  public static long nanos() {
    return IS_KNOWN ? Math.max(0, THREADS.getCurrentThreadCpuTime()) : 0;
  }
}
