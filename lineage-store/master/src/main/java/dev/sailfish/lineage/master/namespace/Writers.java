package dev.sailfish.lineage.master.namespace;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Who writes the files that are not complete, by slot. */
final class Writers {
  private final Map<Integer, Long> writers = new HashMap<>();

  void add(int slot, long writer) {
    writers.put(slot, writer);
  }

  boolean isWriter(int slot, long writer) {
    Long is = writers.get(slot);
    return is != null && is == writer;
  }

  void remove(int slot) {
    writers.remove(slot);
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
      writers.put(in.readInt(), in.readLong());
    }
  }
}
