package dev.sailfish.lineage.master.want;

import java.util.ArrayList;
import java.util.Comparator;
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
  private static final Comparator<Reader> ORDER =
      Comparator.comparing(Reader::application).thenComparing(Reader::user);

  private final int most;
  private final Map<Long, Map<Reader, Long>> readers = new HashMap<>();
  private final Map<Long, Report> reports = new HashMap<>();
  private int size;
  private long sweptNs;

  /**
   * Who waits for a file.
   *
   * @param application of YARN, as he says; empty: none
   * @param user who he is, as the masters know
   */
  public record Reader(String application, String user) {}

  private record Report(String progress, long atNs) {}

  /**
   * @param most how many readers that wait for a file are kept, of all files together, and how many
   *     reports: further ones are not
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

  /** A reader waits for a file now; those of one user and application are one. */
  public void want(long fid, Reader reader, long nowNs) {
    sweep(nowNs);
    Map<Reader, Long> ofFile = readers.get(fid);
    boolean isKnown = ofFile != null && ofFile.containsKey(reader);
    if (!isKnown && size >= most) {
      return;
    }
    readers.computeIfAbsent(fid, id -> new TreeMap<>(ORDER)).put(reader, nowNs);
    size += isKnown ? 0 : 1;
  }

  /** Who waits for a file, in the order of the applications' names. */
  public List<Reader> readers(long fid, long nowNs) {
    List<Reader> waiting = new ArrayList<>();
    readers
        .getOrDefault(fid, Map.of())
        .forEach(
            (reader, atNs) -> {
              if (nowNs - atNs <= READER_NS) {
                waiting.add(reader);
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
