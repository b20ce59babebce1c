package dev.sailfish.transport;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the operating system and the JVM say about this process: memory of each kind in bytes,
 * threads, open files and garbage collection. Part of every server's {@code /metrics}, so that a
 * limit which is not kept can be seen from outside.
 */
final class ProcessGauges {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");
  private static final long KIB = 1024;
  private static final Map<String, String> LABELS =
      Map.of(
          "VmRSS:", "process_resident_bytes",
          "RssAnon:", "process_anonymous_bytes",
          "RssFile:", "process_file_bytes",
          "RssShmem:", "process_shared_memory_bytes");

  private ProcessGauges() {}

  /** The figures now, by label; those that this system does not have are left out. */
  static Map<String, Long> read() {
    Map<String, Long> gauges = new TreeMap<>();
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    gauges.put("jvm_heap_used_bytes", heap.getUsed());
    gauges.put("jvm_heap_max_bytes", heap.getMax());
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      if (pool.getName().matches("[a-z]+")) { // not "mapped - 'non-volatile memory'"
        gauges.put("jvm_buffers_" + pool.getName() + "_bytes", pool.getMemoryUsed());
      }
    }
    gauges.put("netty_direct_bytes", Math.max(0, PlatformDependent.usedDirectMemory()));
    gauges.put("jvm_threads", (long) ManagementFactory.getThreadMXBean().getThreadCount());
    gauges.put(
        "jvm_gc_time_ms",
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionTime)
            .sum());
    addFromSystem(gauges);
    return gauges;
  }

  private static void addFromSystem(Map<String, Long> gauges) {
    try {
      for (String line : Files.readAllLines(STATUS)) {
        String[] words = line.split("\\s+");
        String label = LABELS.get(words[0]);
        if (label != null) {
          gauges.put(label, Long.parseLong(words[1]) * KIB);
        }
      }
      try (var files = Files.list(OPEN_FILES)) {
        gauges.put("process_open_files", files.count());
      }
    } catch (IOException | NumberFormatException e) {
      // No procfs, or another one than Linux': then these figures are not there.
      gauges.remove("process_open_files");
    }
  }
}
