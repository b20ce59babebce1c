package dev.sailfish.lineage.master.dependency;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** Lost outputs that cannot be recomputed, each with a sentence that says why. */
public final class GivenUp {
  private final Map<Long, String> causes = new TreeMap<>();

  GivenUp() {}

  /** How many there are. */
  public int size() {
    return causes.size();
  }

  /** Why a file was given up; empty: it was not. */
  public String cause(long fid) {
    return causes.getOrDefault(fid, "");
  }

  /**
   * Gives a file up.
   *
   * @param cause empty: it is to be tried again
   */
  void set(long fid, String cause) {
    if (cause.isEmpty()) {
      causes.remove(fid);
    } else {
      causes.put(fid, cause);
    }
  }

  /** Writes { given up:4 { fid:8 cause, as writeUTF } }. */
  public void write(DataOutputStream out) throws IOException {
    out.writeInt(causes.size());
    for (Map.Entry<Long, String> entry : causes.entrySet()) {
      out.writeLong(entry.getKey());
      out.writeUTF(entry.getValue());
    }
  }

  /** Reads what {@link #write} wrote. */
  public void read(DataInputStream in) throws IOException {
    for (int left = in.readInt(); left > 0; left--) {
      causes.put(in.readLong(), in.readUTF());
    }
  }
}
