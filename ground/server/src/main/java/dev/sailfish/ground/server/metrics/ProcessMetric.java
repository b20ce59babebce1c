package dev.sailfish.ground.server.metrics;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/**
 * What a daemon's process uses, beside what Prometheus' own {@code jvm_…} and {@code process_…}
 * metrics tell, so that a limit which is not kept can be seen from outside.
 */
public enum ProcessMetric implements Metric {
  ANONYMOUS_BYTES("Resident memory without a file behind it: heap, stacks, buffers; 0 if unknown"),
  FILE_BYTES("Resident memory with a file on a disk behind it; 0 if unknown"),
  SHARED_MEMORY_BYTES("Resident memory with a file in /dev/shm behind it; 0 if unknown"),
  NETTY_DIRECT_BYTES("Memory outside the heap that the buffers of connections take"),
  THREADS("Threads that live"),
  CERTIFICATE_END_S(
      "When the certificate of its ports ends, in seconds since 1970; 0 where they are not"
          + " encrypted");

  private static final Path STATUS = Path.of("/proc/self/status");
  private static final long KIB = 1024;
  private static final Map<String, ProcessMetric> FIELDS =
      Map.of("RssAnon:", ANONYMOUS_BYTES, "RssFile:", FILE_BYTES, "RssShmem:", SHARED_MEMORY_BYTES);

  private final Declaration declaration;

  ProcessMetric(String help) {
    declaration = Declaration.of("process", name(), Kind.GAUGE, help);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }

  /** The figures of this process now; what this system does not tell is left out. */
  public static Map<ProcessMetric, Long> now() {
    Map<ProcessMetric, Long> now = new EnumMap<>(ProcessMetric.class);
    now.put(NETTY_DIRECT_BYTES, Math.max(0, PlatformDependent.usedDirectMemory()));
    now.put(THREADS, (long) ManagementFactory.getThreadMXBean().getThreadCount());
    try {
      for (String line : Files.readAllLines(STATUS)) {
        String[] words = line.split("\\s+");
        if (FIELDS.containsKey(words[0])) {
          now.put(FIELDS.get(words[0]), Long.parseLong(words[1]) * KIB);
        }
      }
    } catch (IOException | NumberFormatException e) {
      return now; // no procfs, or another one than Linux'
    }
    return now;
  }
}
