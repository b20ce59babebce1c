package dev.sailfish.lineage.master.namespace;

import dev.sailfish.ground.journal.Freeze;
import dev.sailfish.ground.journal.StateView;
import dev.sailfish.lineage.master.dependency.DependencyImage;
import dev.sailfish.lineage.master.table.CopyTable;
import dev.sailfish.lineage.master.table.InodeTable;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A namespace as it was when this was made, written as
 *
 * <pre>
 *   magic:4 "SFNS"   version:4
 *   users and groups:4   { name, as DataOutput.writeUTF }
 *   files being written:4   { slot:4   writer:8 }
 *   ids that are kept:4   { slot:4   client:8 }
 *   deleted trees:4   { slot:4 }                  the one on top first
 *   mounts:4   { mount, as DataOutput.writeUTF }
 *   quotas                                        as Quotas.write says
 *   times to live                                 as Expiries.write says
 *   workers                                       as Blocks.writeHead says
 *   lineage                                       as Lineage.writeHead says
 *   files that are given up                       as GivenUp.write says
 *   how new files are written                     as FileWriting.write says
 *   deleted files that are made again             as RevivedFiles.write says
 *   table of copies, head                         as CopyTable.Image says
 *   table of files                                as InodeTable.Image says
 *   table of copies, rows
 *   dependencies                                  as DependencyImage says
 * </pre>
 *
 * <p>Version 5 is read, too, in which no dependency waits; version 4, in which no dependency grows
 * or has a name, no file is given up, no deleted one is made again, and which does not say how new
 * files are written; and version 3, which has neither ids that are kept nor lineage and
 * dependencies.
 *
 * <p>Directories are not written: that a file is in one is in the table. What is small is copied at
 * the beginning.
 */
final class NamespaceImage implements StateView {
  private static final int MAGIC = 0x53464e53;
  private static final int VERSION = 6;

  /** The oldest version that is read, which has neither ids that are kept nor lineage. */
  static final int OLDEST_VERSION = 3;

  /**
   * The first version in which dependencies may grow, files are given up, deleted ones made again,
   * and which says how new files are written.
   */
  static final int GROWING_VERSION = 5;

  /** The first version in which dependencies wait until they go. */
  static final int WAITING_VERSION = 6;

  private static final int PAGES_PER_PIECE = 4;

  private final Freeze freeze;
  private final List<Table> tables;
  private final byte[] head;
  private boolean hasHead;
  private int current;

  private interface Table {
    boolean writePage(DataOutputStream out) throws IOException;
  }

  /** What is small, and written at once. */
  @FunctionalInterface
  interface Part {
    void write(DataOutputStream out) throws IOException;
  }

  /**
   * @param small in the order in which they are written
   */
  NamespaceImage(
      Freeze freeze,
      InodeTable.Image inodes,
      CopyTable.Image copies,
      DependencyImage dependencies,
      List<Part> small) {
    this.freeze = freeze;
    this.tables = List.of(inodes::writePage, copies::writePage, dependencies::writePage);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.writeInt(MAGIC);
      out.writeInt(VERSION);
      for (Part part : small) {
        part.write(out);
      }
      copies.writeHead(out);
      inodes.writeHead(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    head = bytes.toByteArray();
  }

  /** The version that the rest is of. */
  static int readVersion(DataInputStream in) throws IOException {
    int magic = in.readInt();
    int version = in.readInt();
    if (magic != MAGIC || version < OLDEST_VERSION || version > VERSION) {
      throw new IOException(
          "not a snapshot of a namespace that this version reads: magic=%08x version=%d, not %d to %d"
              .formatted(magic, version, OLDEST_VERSION, VERSION));
    }
    return version;
  }

  @Override
  public boolean write(OutputStream out) throws IOException {
    if (!hasHead) {
      out.write(head);
      hasHead = true;
      return true;
    }
    DataOutputStream data = new DataOutputStream(out);
    for (int i = 0; i < PAGES_PER_PIECE && current < tables.size(); i++) {
      current += tables.get(current).writePage(data) ? 0 : 1;
    }
    return current < tables.size();
  }

  @Override
  public void close() {
    freeze.end();
  }
}
