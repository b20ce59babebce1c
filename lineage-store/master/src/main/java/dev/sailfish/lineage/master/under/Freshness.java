package dev.sailfish.lineage.master.under;

import java.util.TreeMap;

/**
 * When which paths were looked at below. Thread-safe, and bounded: when there are too many, all are
 * forgotten and looked at again.
 */
final class Freshness {
  private static final int MOST = 100_000;

  /** By path: the file or directory; by path and a slash: the entries of the directory. */
  private final TreeMap<String, Long> lookedNs = new TreeMap<>();

  /**
   * @param sinceNs when it was looked at; taken before that
   */
  synchronized void entry(String path, long sinceNs) {
    put(path, sinceNs);
  }

  /** All entries of a directory were looked at. */
  synchronized void entries(String directory, long sinceNs) {
    put(entriesKey(directory), sinceNs);
  }

  private void put(String key, long sinceNs) {
    if (lookedNs.size() == MOST && !lookedNs.containsKey(key)) {
      lookedNs.clear();
    }
    lookedNs.put(key, sinceNs);
  }

  /** Whether a path was looked at not longer ago than that, itself or with its directory. */
  synchronized boolean isEntryFresh(String path, long nowNs, long periodNs) {
    String directory = path.substring(0, Math.max(0, path.lastIndexOf('/')));
    return isFresh(path, nowNs, periodNs) || isFresh(entriesKey(directory), nowNs, periodNs);
  }

  synchronized boolean areEntriesFresh(String directory, long nowNs, long periodNs) {
    return isFresh(entriesKey(directory), nowNs, periodNs);
  }

  private boolean isFresh(String key, long nowNs, long periodNs) {
    Long since = lookedNs.get(key);
    return since != null && nowNs - since < periodNs;
  }

  /** Forgets a path, all below it, and what is known of its directory. */
  synchronized void forget(String path) {
    char behindSlash = '/' + 1;
    lookedNs.subMap(path, path + behindSlash).clear();
    lookedNs.remove(entriesKey(path.substring(0, Math.max(0, path.lastIndexOf('/')))));
  }

  synchronized void clear() {
    lookedNs.clear();
  }

  private static String entriesKey(String directory) {
    return directory.endsWith("/") ? directory : directory + "/";
  }
}
