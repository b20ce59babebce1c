package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.dependency.DependencyGraph.Producer;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.Fid;
import dev.sailfish.lineage.master.table.InodeTable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Lost files that are written again, each by one client. The file keeps its id, and what was left
 * of its blocks; new ones count when all of it is there with the length and the checksum that it
 * had.
 */
public final class Recomputes {
  private final Tree tree;
  private final InodeTable inodes;
  private final Blocks blocks;
  private final MountedTree mounted;
  private final DependencyGraph graph;
  private final Map<Long, Long> writers = new TreeMap<>();

  Recomputes(Tree tree, Blocks blocks, MountedTree mounted, DependencyGraph graph) {
    this.tree = tree;
    this.inodes = tree.inodes();
    this.blocks = blocks;
    this.mounted = mounted;
    this.graph = graph;
  }

  /** What came of a recompute. */
  public enum Outcome {
    /** The file is there again. */
    SAME,
    /** The bytes are others: the dependency is known now not to give the same again. */
    DIFFERENT
  }

  /** Clients that write files again; a copy. */
  Set<Long> writers() {
    return Set.copyOf(writers.values());
  }

  /** Whether a client writes this file again. */
  public boolean isWriter(long fid, long writer) {
    return Long.valueOf(writer).equals(writers.get(fid));
  }

  /**
   * Begins to write a lost file again; for who has recorded its dependency.
   *
   * @return what is known of the file, which is the same one
   */
  public FileInfo begin(long fid, long writer, Caller caller) throws NamespaceException {
    int slot = tree.requireLive(fid);
    Producer producer = graph.producer(fid);
    if (producer == null) {
      throw new NamespaceException(
          Reason.NOT_FOUND, "it is not recorded how fid=" + Fid.text(fid) + " is made");
    }
    Dependency dependency = graph.find(producer.dependency());
    Lineage.requireOwner(dependency, caller);
    Output output = dependency.output(producer.at());
    if (!output.state().successors().contains(OutputState.RECOMPUTING)) {
      boolean isElsewhere = output.state() == OutputState.RECOMPUTING;
      throw new NamespaceException(
          isElsewhere ? Reason.NOT_WRITING : Reason.INVALID,
          "fid=%s is not lost: it is %s".formatted(Fid.text(fid), output.state()));
    }
    if (output.checksum().isEmpty()) {
      throw new NamespaceException(
          Reason.INVALID,
          "the writer of fid=%s gave no checksum, by which a recompute could be checked"
              .formatted(Fid.text(fid)));
    }
    graph.move(fid, OutputState.RECOMPUTING);
    writers.put(fid, writer);
    return mounted.info(slot);
  }

  /** All is written: the file is there again if length and checksum are those that it had. */
  public Outcome complete(long fid, long writer, Content content) throws NamespaceException {
    int slot = tree.requireLive(fid);
    requireWriter(fid, writer);
    Producer producer = graph.producer(fid);
    Output output = graph.find(producer.dependency()).output(producer.at());
    boolean isSame =
        output.length() == content.length() && output.checksum().equals(content.checksum());
    if (isSame) {
      int count = Limits.blocks(content.length(), inodes.blockSizeLog(slot));
      Limits.requirePlaces(content.places(), count);
      blocks.requireNothingMissing(slot, content.places());
      blocks.addAll(slot, content.places());
    } else {
      graph.markNondeterministic(producer.dependency());
    }
    writers.remove(fid);
    graph.move(fid, isSame ? OutputState.STORED : OutputState.INTERRUPTED);
    return isSame ? Outcome.SAME : Outcome.DIFFERENT;
  }

  /** A client gives the file up: another one may write it again. */
  public void abandon(long fid, long writer) throws NamespaceException {
    requireWriter(fid, writer);
    interrupt(fid);
  }

  /** A client is gone. */
  void abandonAll(long writer) {
    List<Long> fids =
        writers.entrySet().stream()
            .filter(entry -> entry.getValue() == writer)
            .map(Map.Entry::getKey)
            .toList();
    fids.forEach(this::interrupt);
  }

  private void interrupt(long fid) {
    writers.remove(fid);
    if (graph.state(fid) == OutputState.RECOMPUTING) {
      graph.move(fid, OutputState.INTERRUPTED);
    }
  }

  /** The file is lost no more, or not there any more. */
  void forget(long fid) {
    writers.remove(fid);
  }

  private void requireWriter(long fid, long writer) throws NamespaceException {
    if (!isWriter(fid, writer) || graph.state(fid) != OutputState.RECOMPUTING) {
      throw new NamespaceException(
          Reason.NOT_WRITING,
          "this client does not write fid=" + Fid.text(fid) + " again: begin again");
    }
  }

  /** Writes { recomputes:4 { fid:8 writer:8 } }. */
  void write(DataOutputStream out) throws IOException {
    out.writeInt(writers.size());
    for (Map.Entry<Long, Long> entry : writers.entrySet()) {
      out.writeLong(entry.getKey());
      out.writeLong(entry.getValue());
    }
  }

  void read(DataInputStream in) throws IOException {
    for (int left = in.readInt(); left > 0; left--) {
      writers.put(in.readLong(), in.readLong());
    }
  }
}
