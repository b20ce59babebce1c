package dev.sailfish.lineage.master.checkpoint;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Files that the policy has named and that cannot be copied now, the one looked at last at last.
 */
final class ApartFiles {
  private final Map<Long, Long> lengths = new LinkedHashMap<>(); // by FID
  private long bytes;

  void clear() {
    lengths.clear();
    bytes = 0;
  }

  void add(long fid, long length) {
    if (lengths.putIfAbsent(fid, length) == null) {
      bytes += length;
    }
  }

  void remove(long fid) {
    Long length = lengths.remove(fid);
    bytes -= length == null ? 0 : length;
  }

  /** Takes the one that was added first; there is one. */
  long take() {
    Iterator<Map.Entry<Long, Long>> all = lengths.entrySet().iterator();
    Map.Entry<Long, Long> first = all.next();
    long fid = first.getKey();
    bytes -= first.getValue();
    all.remove();
    return fid;
  }

  boolean contains(long fid) {
    return lengths.containsKey(fid);
  }

  int size() {
    return lengths.size();
  }

  /** How long they are together. */
  long bytes() {
    return bytes;
  }
}
