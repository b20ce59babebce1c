package dev.sailfish.lineage.master.want;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Lost files that readers wait for, and how far their recomputes are. A reader that does not ask
 * again waits no more, and a report that does not come again counts no more. Not thread-safe; times
 * are the leader's, in nanoseconds.
 */
public final class WantedFiles {
  private static final long READER_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long REPORT_NS = TimeUnit.SECONDS.toNanos(30);
  private static final long SWEEP_NS = TimeUnit.SECONDS.toNanos(1);

  private final int most;
  private final Map<Long, Map<String, Long>> readers = new HashMap<>();
  private final Map<Long, Report> reports = new HashMap<>();
  private int size;
  private long sweptNs;

  private record Report(String progress, long atNs) {}

  /**
   * @param most how many applications that wait for a file are kept, of all files together, and how
   *     many reports: further ones are not
   */
  public WantedFiles(int most) {
    this.most = most;
  }

  /** Nobody waits, and nothing is known. */
  public void clear() {
    readers.clear();
    reports.clear();
    size = 0;
  }

  /**
   * A reader waits for a file now.
   *
   * @param application of YARN; empty: none
   */
  public void want(long fid, String application, long nowNs) {
    sweep(nowNs);
    Map<String, Long> ofFile = readers.get(fid);
    boolean isKnown = ofFile != null && ofFile.containsKey(application);
    if (!isKnown && size >= most) {
      return;
    }
    readers.computeIfAbsent(fid, id -> new TreeMap<>()).put(application, nowNs);
    size += isKnown ? 0 : 1;
  }

  /** The applications whose readers wait for a file, in the order of their names. */
  public List<String> applications(long fid, long nowNs) {
    List<String> waiting = new ArrayList<>();
    readers
        .getOrDefault(fid, Map.of())
        .forEach(
            (application, atNs) -> {
              if (nowNs - atNs <= READER_NS) {
                waiting.add(application);
              }
            });
    return waiting;
  }

  /** How many files are waited for. */
  public int files(long nowNs) {
    sweep(nowNs);
    return readers.size();
  }

  /** How far a record's recompute is now, for people. */
  public void report(long dependency, String progress, long nowNs) {
    sweep(nowNs);
    if (reports.size() < most || reports.containsKey(dependency)) {
      reports.put(dependency, new Report(progress, nowNs));
    }
  }

  /** What was last reported of a record; empty: nothing, or not for a while. */
  public String progress(long dependency, long nowNs) {
    Report report = reports.get(dependency);
    return report == null || nowNs - report.atNs > REPORT_NS ? "" : report.progress;
  }

  /** Forgets those that are silent; all are looked at, so it is done now and then only. */
  private void sweep(long nowNs) {
    boolean isEmpty = readers.isEmpty() && reports.isEmpty();
    if (!isEmpty && nowNs - sweptNs < SWEEP_NS) {
      return;
    }
    sweptNs = nowNs;
    reports.values().removeIf(report -> nowNs - report.atNs > REPORT_NS);
    size = 0;
    readers.values().forEach(ofFile -> ofFile.values().removeIf(at -> nowNs - at > READER_NS));
    readers.values().removeIf(Map::isEmpty);
    readers.values().forEach(ofFile -> size += ofFile.size());
  }
}
