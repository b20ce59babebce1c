package dev.sailfish.workflow.recovery;

import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.workflow.share.ApplicationLook;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which applications wait for which lost files. A leading master knows that from what readers ask
 * each second, and one that begins to lead does not know it yet: so who has waited counts for some
 * time as waiting.
 *
 * <p>Readers say themselves which application they are of. One that is another user's is not
 * believed: such a reader is of none.
 */
final class Interest {
  /** Who asks: a user, whom the master knows, and the application that he names; "": none. */
  private record Waiter(String application, String user) {
    boolean isOf(ApplicationLook seen) {
      return seen != null && seen.user().equals(user);
    }
  }

  private record Wait(long fid, Waiter waiter) {}

  private final Map<Wait, Long> seenNs = new HashMap<>();
  private final Map<Waiter, Long> sinceNs = new HashMap<>();
  private final Set<Long> requested = new HashSet<>();

  /** What the master says now. */
  void see(Collection<LostFile> lost, long nowNs) {
    for (LostFile file : lost) {
      for (int i = 0; i < file.getWaitingCount(); i++) {
        // A master of an earlier version names no users.
        String user = i < file.getWaitingUsersCount() ? file.getWaitingUsers(i) : "";
        Waiter waiter = new Waiter(file.getWaiting(i), user);
        seenNs.put(new Wait(file.getOutput().getFid(), waiter), nowNs);
        sinceNs.putIfAbsent(waiter, nowNs);
      }
    }
    seenNs.values().removeIf(seen -> nowNs - seen > RecoverySettings.Waits.INTEREST_NS);
    Set<Waiter> waiters = new HashSet<>();
    requested.clear();
    for (Wait wait : seenNs.keySet()) {
      waiters.add(wait.waiter());
      requested.add(wait.fid());
    }
    sinceNs.keySet().retainAll(waiters);
  }

  /** Whether somebody waits for a file. */
  boolean isRequested(long fid) {
    return requested.contains(fid);
  }

  /** The applications that readers name. */
  Set<String> named() {
    Set<String> named = new TreeSet<>();
    sinceNs.keySet().forEach(waiter -> named.add(waiter.application()));
    named.remove("");
    return named;
  }

  /**
   * The applications that wait, those first that have waited longest.
   *
   * @param seen those that have not ended, by their ids
   */
  Map<String, ApplicationLook> applications(Map<String, ApplicationLook> seen) {
    List<Map.Entry<Waiter, Long>> longestFirst =
        sinceNs.entrySet().stream()
            .filter(entry -> entry.getKey().isOf(seen.get(entry.getKey().application())))
            .sorted(
                Map.Entry.<Waiter, Long>comparingByValue()
                    .thenComparing(
                        Map.Entry.comparingByKey(Comparator.comparing(Waiter::application))))
            .toList();
    Map<String, ApplicationLook> ordered = new LinkedHashMap<>();
    longestFirst.forEach(
        entry -> ordered.put(entry.getKey().application(), seen.get(entry.getKey().application())));
    return ordered;
  }

  /**
   * The applications that wait for each file, by FID; "" stands for readers that are of none.
   *
   * @param seen those that have not ended, by their ids
   */
  Map<Long, Set<String>> byFile(Map<String, ApplicationLook> seen) {
    Map<Long, Set<String>> byFile = new HashMap<>();
    for (Wait wait : seenNs.keySet()) {
      String application = wait.waiter().application();
      byFile
          .computeIfAbsent(wait.fid(), fid -> new TreeSet<>())
          .add(wait.waiter().isOf(seen.get(application)) ? application : "");
    }
    return byFile;
  }
}
