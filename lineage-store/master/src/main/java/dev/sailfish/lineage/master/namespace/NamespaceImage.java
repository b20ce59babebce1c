package dev.sailfish.lineage.master.namespace;

import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.ground.journal.StateView;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * A namespace as it was when this was made, written as
 *
 * <pre>
 *   magic:4 "SFNS"   version:4
 *   users and groups:4   { name, as DataOutput.writeUTF }
 *   files being written:4   { slot:4   writer:8 }
 *   deleted trees:4   { slot:4 }                  the one on top first
 *   table                                         as InodeTable.Image says
 * </pre>
 *
 * Directories are not written: that a file is in one is in the table. What is small is copied at
 * the beginning.
 */
final class NamespaceImage implements StateView {
  private static final int MAGIC = 0x53464e53;
  private static final int VERSION = 1;
  private static final int PAGES_PER_PIECE = 4;

  private final Freeze freeze;
  private final InodeTable.Image table;
  private final byte[] head;
  private boolean hasHead;

  NamespaceImage(
      Freeze freeze,
      InodeTable.Image table,
      Principals principals,
      Writers writers,
      Doomed doomed) {
    this.freeze = freeze;
    this.table = table;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.writeInt(MAGIC);
      out.writeInt(VERSION);
      principals.write(out);
      writers.write(out);
      doomed.write(out);
      table.writeHead(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    head = bytes.toByteArray();
  }

  static void readVersion(DataInputStream in) throws IOException {
    int magic = in.readInt();
    int version = in.readInt();
    if (magic != MAGIC || version != VERSION) {
      throw new IOException(
          "not a snapshot of a namespace that this version reads: magic=%08x version=%d, not %d"
              .formatted(magic, version, VERSION));
    }
  }

  @Override
  public boolean write(OutputStream out) throws IOException {
    if (!hasHead) {
      out.write(head);
      hasHead = true;
      return true;
    }
    DataOutputStream data = new DataOutputStream(out);
    boolean more = true;
    for (int i = 0; i < PAGES_PER_PIECE && more; i++) {
      more = table.writePage(data);
    }
    return more;
  }

  @Override
  public void close() {
    freeze.end();
  }
}
