package dev.sailfish.lineage.master.namespace;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/** Who writes the files that are not complete, by slot. */
final class Writers {
  private final Map<Integer, Long> writers = new HashMap<>();
  private final Map<Long, NavigableSet<Integer>> slots = new HashMap<>();

  void add(int slot, long writer) {
    writers.put(slot, writer);
    slots.computeIfAbsent(writer, id -> new TreeSet<>()).add(slot);
  }

  boolean isWriter(int slot, long writer) {
    Long is = writers.get(slot);
    return is != null && is == writer;
  }

  /** The slots of a writer's files, ascending; a copy. */
  List<Integer> of(long writer) {
    return List.copyOf(slots.getOrDefault(writer, new TreeSet<>()));
  }

  /** The slots of all files; a copy. */
  List<Integer> slots() {
    return List.copyOf(writers.keySet());
  }

  /** All writers; a copy. */
  Set<Long> all() {
    return Set.copyOf(slots.keySet());
  }

  void remove(int slot) {
    Long writer = writers.remove(slot);
    if (writer != null) {
      slots.computeIfPresent(writer, (id, all) -> all.remove(slot) && all.isEmpty() ? null : all);
    }
  }

  int size() {
    return writers.size();
  }

  void write(DataOutputStream out) throws IOException {
    out.writeInt(writers.size());
    for (Map.Entry<Integer, Long> entry : writers.entrySet()) {
      out.writeInt(entry.getKey());
      out.writeLong(entry.getValue());
    }
  }

  void read(DataInputStream in) throws IOException {
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      add(in.readInt(), in.readLong());
    }
  }
}
