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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Lost files that are written again, each by one client. The file keeps its id, and what was left
 * of its blocks; new ones count when all of it is there with the length and the checksum that it
 * had. Until then a worker that has one is not believed, whenever it says so: what an attempt has
 * left that came to nothing may be other bytes.
 */
public final class Recomputes {
  private final Tree tree;
  private final InodeTable inodes;
  private final Blocks blocks;
  private final MountedTree mounted;
  private final DependencyGraph graph;
  private final RevivedFiles revived;
  private final Map<Long, Attempt> attempts = new TreeMap<>();
  private long last;

  /** By file: where blocks may be that an attempt has begun, and that nobody has looked at. */
  private final Map<Long, Set<Unproven>> unproven = new TreeMap<>();

  /** Who writes a file again. */
  private record Attempt(long writer, long number) {}

  /**
   * A block with a worker.
   *
   * @param worker what it calls itself, over restarts too
   */
  private record Unproven(int block, long worker) {}

  Recomputes(
      Tree tree, Blocks blocks, MountedTree mounted, DependencyGraph graph, RevivedFiles revived) {
    this.tree = tree;
    this.inodes = tree.inodes();
    this.blocks = blocks;
    this.mounted = mounted;
    this.graph = graph;
    this.revived = revived;
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
    return attempts.values().stream().map(Attempt::writer).collect(Collectors.toSet());
  }

  /** Whether a client writes this file again. */
  public boolean isWriter(long fid, long writer) {
    Attempt attempt = attempts.get(fid);
    return attempt != null && attempt.writer == writer;
  }

  /** Which attempt writes a file again; 0: none does. */
  public long attempt(long fid) {
    Attempt attempt = attempts.get(fid);
    return attempt == null ? 0 : attempt.number;
  }

  /**
   * Begins to write a lost file again, or a deleted one that a lost one needs; for who has recorded
   * its dependency.
   *
   * @return what is known of the file, which is the same one
   */
  public FileInfo begin(long fid, long writer, Caller caller, long nowMs)
      throws NamespaceException {
    Producer producer = Lineage.requireProducer(graph, fid);
    Dependency dependency = graph.find(producer.dependency());
    Lineage.requireOwner(dependency, caller);
    Output output = dependency.output(producer.at());
    requireLost(output);
    int slot;
    if (output.state().isDeleted()) {
      slot = revived.begin(dependency, producer.at(), nowMs);
    } else {
      slot = tree.requireLive(fid);
      graph.move(fid, OutputState.RECOMPUTING);
    }
    last++;
    attempts.put(fid, new Attempt(writer, last));
    return mounted.info(slot);
  }

  private void requireLost(Output output) throws NamespaceException {
    String fid = Fid.text(output.fid());
    boolean isLost = output.state().isLost() || output.state().isDeleted();
    if (!isLost || output.state().isAvailable() || attempts.containsKey(output.fid())) {
      throw new NamespaceException(
          attempts.containsKey(output.fid()) ? Reason.NOT_WRITING : Reason.INVALID,
          "fid=%s is not lost: it is %s".formatted(fid, output.state()));
    }
    if (output.checksum().isEmpty()) {
      throw new NamespaceException(
          Reason.INVALID,
          ("fid=%s has no checksum, by which a recompute could be checked: its writer gave none, or"
                  + " has not completed it")
              .formatted(fid));
    }
  }

  private Output requireOwn(long fid, Caller caller) throws NamespaceException {
    Producer producer = Lineage.requireProducer(graph, fid);
    Dependency dependency = graph.find(producer.dependency());
    Lineage.requireOwner(dependency, caller);
    return dependency.output(producer.at());
  }

  /**
   * A lost file cannot be written again; for who has recorded its dependency. An attempt that still
   * writes it is over. The file is tried again when it is begun again, and is lost no more when a
   * worker comes back that has it.
   *
   * @param cause a sentence, for those who read the file; empty: it is to be tried again
   */
  public void giveUp(long fid, String cause, Caller caller) throws NamespaceException {
    Output output = requireOwn(fid, caller);
    if (!output.state().isLost()) {
      throw new NamespaceException(
          Reason.INVALID, "fid=%s is not lost: it is %s".formatted(Fid.text(fid), output.state()));
    }
    if (cause.isEmpty() && graph.givenUp().cause(fid).isEmpty()) {
      return;
    }
    if (output.state() == OutputState.RECOMPUTING) {
      interrupt(fid);
    }
    if (graph.state(fid) == OutputState.INTERRUPTED) {
      graph.move(fid, OutputState.LOST);
    }
    graph.giveUp(fid, cause);
    revived.lookAgain();
  }

  /**
   * A worker is about to begin a block of a file that is written again; one that an earlier attempt
   * has left there goes.
   *
   * @param place of the worker
   * @throws NamespaceException when another attempt writes the file, or the worker's block counts
   */
  public void rewrite(long fid, int block, int place, long attempt) throws NamespaceException {
    int slot = tree.requireLive(fid);
    int worker = Place.worker(place);
    if (attempt == 0 || attempt != attempt(fid)) {
      throw new NamespaceException(
          Reason.NOT_WRITING,
          "attempt %d does not write fid=%s: begin again".formatted(attempt, Fid.text(fid)));
    }
    boolean isUsable = Limits.isBlock(block) && Place.isValid(place);
    if (!isUsable || !blocks.workers().isLive(worker) || blocks.isWith(slot, block, worker)) {
      throw new NamespaceException(
          Reason.INVALID,
          "block %d of fid=%s is not to be written at worker %d: it is not there, or has the block"
              .formatted(block, Fid.text(fid), worker));
    }
    unproven
        .computeIfAbsent(fid, id -> new LinkedHashSet<>())
        .add(new Unproven(block, blocks.workers().id(worker)));
  }

  /** Whether there may be blocks that attempts have left. */
  boolean hasUnproven() {
    return !unproven.isEmpty();
  }

  /** Whether a worker may have other bytes in place of a block, which an attempt has left. */
  boolean isUnproven(long fid, int block, int worker) {
    Set<Unproven> all = unproven.isEmpty() ? null : unproven.get(fid);
    return all != null && all.contains(new Unproven(block, blocks.workers().id(worker)));
  }

  /** Whether all that a worker has of a file is what attempts have left that are over. */
  boolean isLeftOver(long fid, int worker) {
    Set<Unproven> all = unproven.isEmpty() ? null : unproven.get(fid);
    if (all == null || attempts.containsKey(fid)) {
      return false;
    }
    long id = blocks.workers().id(worker);
    return all.stream().anyMatch(one -> one.worker == id)
        && !blocks.holders(inodes.find(fid)).contains(worker);
  }

  /** These blocks are what they were. */
  private void prove(long fid, int[] places) {
    Set<Unproven> all = unproven.get(fid);
    if (all == null) {
      return;
    }
    for (int block = 0; block < places.length; block++) {
      int worker = Place.worker(places[block]);
      if (blocks.workers().isLive(worker)) {
        all.remove(new Unproven(block, blocks.workers().id(worker)));
      }
    }
    if (all.isEmpty()) {
      unproven.remove(fid);
    }
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
      prove(fid, content.places());
    } else {
      graph.markNondeterministic(producer.dependency());
    }
    attempts.remove(fid);
    if (!output.state().isRevived()) {
      graph.move(fid, isSame ? OutputState.STORED : OutputState.INTERRUPTED);
    } else if (isSame) {
      revived.complete(slot, content);
    }
    if (isSame) {
      revived.lookAgain();
    }
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
        attempts.entrySet().stream()
            .filter(entry -> entry.getValue().writer == writer)
            .map(Map.Entry::getKey)
            .toList();
    fids.forEach(this::interrupt);
  }

  private void interrupt(long fid) {
    attempts.remove(fid);
    if (graph.state(fid) == OutputState.RECOMPUTING) {
      graph.move(fid, OutputState.INTERRUPTED);
    }
  }

  /** The file is lost no more, or not there any more. */
  void forget(long fid) {
    attempts.remove(fid);
  }

  /** The file is not there, and is never made again: whatever workers have of it goes. */
  void forgetLeftOvers(long fid) {
    unproven.remove(fid);
  }

  private void requireWriter(long fid, long writer) throws NamespaceException {
    if (!isWriter(fid, writer)) {
      throw new NamespaceException(
          Reason.NOT_WRITING,
          "this client does not write fid=" + Fid.text(fid) + " again: begin again");
    }
  }

  /**
   * Writes { last attempt:8 attempts:4 { fid:8 writer:8 number:8 } unproven:4 { fid:8 places:4 {
   * block:4 worker's id:8 } } }.
   */
  void write(DataOutputStream out) throws IOException {
    out.writeLong(last);
    out.writeInt(attempts.size());
    for (Map.Entry<Long, Attempt> entry : attempts.entrySet()) {
      out.writeLong(entry.getKey());
      out.writeLong(entry.getValue().writer);
      out.writeLong(entry.getValue().number);
    }
    out.writeInt(unproven.size());
    for (Map.Entry<Long, Set<Unproven>> entry : unproven.entrySet()) {
      out.writeLong(entry.getKey());
      out.writeInt(entry.getValue().size());
      for (Unproven place : entry.getValue()) {
        out.writeInt(place.block);
        out.writeLong(place.worker);
      }
    }
  }

  void read(DataInputStream in) throws IOException {
    last = in.readLong();
    for (int left = in.readInt(); left > 0; left--) {
      attempts.put(in.readLong(), new Attempt(in.readLong(), in.readLong()));
    }
    for (int left = in.readInt(); left > 0; left--) {
      long fid = in.readLong();
      Set<Unproven> places = new LinkedHashSet<>();
      for (int more = in.readInt(); more > 0; more--) {
        places.add(new Unproven(in.readInt(), in.readLong()));
      }
      unproven.put(fid, places);
    }
  }
}
