package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.protocol.wire.LostFile;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which applications wait for which lost files. A leading master knows that from what readers ask
 * each second, and one that begins to lead does not know it yet: so who has waited counts for some
 * time as waiting.
 */
final class Interest {
  private record Wait(long fid, String application) {}

  private final Map<Wait, Long> seenNs = new HashMap<>();
  private final Map<String, Long> sinceNs = new HashMap<>(); // by application
  private final Set<Long> requested = new HashSet<>();

  /** What the master says now. */
  void see(Collection<LostFile> lost, long nowNs) {
    for (LostFile file : lost) {
      for (String application : file.getWaitingList()) {
        seenNs.put(new Wait(file.getOutput().getFid(), application), nowNs);
        sinceNs.putIfAbsent(application, nowNs);
      }
    }
    seenNs.values().removeIf(seen -> nowNs - seen > RecoverySettings.Waits.INTEREST_NS);
    Set<String> applications = new HashSet<>();
    requested.clear();
    for (Wait wait : seenNs.keySet()) {
      applications.add(wait.application());
      requested.add(wait.fid());
    }
    sinceNs.keySet().retainAll(applications);
  }

  /** Whether somebody waits for a file. */
  boolean isRequested(long fid) {
    return requested.contains(fid);
  }

  /** The applications that wait for each file, by FID; "" stands for readers that are none. */
  Map<Long, Set<String>> byFile() {
    Map<Long, Set<String>> byFile = new HashMap<>();
    for (Wait wait : seenNs.keySet()) {
      byFile.computeIfAbsent(wait.fid(), fid -> new TreeSet<>()).add(wait.application());
    }
    return byFile;
  }

  /** The applications that wait, those first that have waited longest, without "". */
  Set<String> applications() {
    Set<String> ordered = new LinkedHashSet<>();
    sinceNs.entrySet().stream()
        .filter(entry -> !entry.getKey().isEmpty())
        .sorted(
            Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
        .forEach(entry -> ordered.add(entry.getKey()));
    return ordered;
  }
}
