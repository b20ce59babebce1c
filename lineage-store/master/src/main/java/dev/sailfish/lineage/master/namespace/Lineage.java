package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.dependency.Breadth;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.dependency.DependencyGraph.Ancestry;
import dev.sailfish.lineage.master.dependency.DependencyGraph.Producer;
import dev.sailfish.lineage.master.dependency.Input;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.dependency.Part;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.table.Fid;
import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * How files of the tree were made, and which of them are lost: joins the graph of dependencies with
 * the files, their blocks and what is below.
 */
public final class Lineage {
  private static final int MOST_ANCESTORS = 1_000_000;
  private static final long NEVER = Long.MAX_VALUE;
  private static final long NO_SCAN = -1;
  private static final int SEALED_PER_ENTRY = 1_000;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.:-]{1,255}");

  private final Tree tree;
  private final InodeTable inodes;
  private final Blocks blocks;
  private final MountedTree mounted;
  private final DependencyGraph graph;
  private final Suspects suspects;
  private final Programs programs;
  private final RevivedFiles revived;
  private final Recomputes recomputes;
  private long nowMs;

  // Looks at all outputs, bit by bit, after a worker is gone and had time to come back.
  private long goneMs = NEVER;
  private long scanAfter = NO_SCAN;

  Lineage(
      Tree tree,
      Blocks blocks,
      MountedTree mounted,
      DependencyGraph graph,
      Suspects suspects,
      Programs programs,
      RevivedFiles revived) {
    this.tree = tree;
    this.inodes = tree.inodes();
    this.blocks = blocks;
    this.mounted = mounted;
    this.graph = graph;
    this.suspects = suspects;
    this.programs = programs;
    this.revived = revived;
    this.recomputes = new Recomputes(tree, blocks, mounted, graph, revived);
  }

  /** The dependencies; to be read only. */
  public DependencyGraph graph() {
    return graph;
  }

  /** Programs of dependencies. */
  public Programs programs() {
    return programs;
  }

  /** Lost files that are written again. */
  public Recomputes recomputes() {
    return recomputes;
  }

  /**
   * Records how files are made. The caller must own them and be permitted to read the inputs.
   *
   * @param recipe of the caller; its programs are in the store
   * @param asked the outputs, of which only id and part count
   * @param isNondeterministic whether it is known not to give the same bytes again
   * @return the dependency's id; if the caller has one of that name already, that one's
   */
  public long create(
      Dependency.Recipe recipe, List<Output> asked, boolean isNondeterministic, Caller caller)
      throws NamespaceException {
    return create(recipe, asked, isNondeterministic, false, caller);
  }

  /** The same of one that is growing: outputs are added, and it may have none yet. */
  public long createGrowing(
      Dependency.Recipe recipe, List<Output> asked, boolean isNondeterministic, Caller caller)
      throws NamespaceException {
    return create(recipe, asked, isNondeterministic, true, caller);
  }

  private long create(
      Dependency.Recipe recipe,
      List<Output> asked,
      boolean isNondeterministic,
      boolean isGrowing,
      Caller caller)
      throws NamespaceException {
    Dependency there = graph.find(recipe.owner(), recipe.name());
    if (there != null) {
      return there.id();
    }
    requireShape(recipe, asked, isGrowing);
    List<Output> outputs = new ArrayList<>();
    Set<Long> made = new HashSet<>();
    for (Output output : asked) {
      if (!made.add(output.fid())) {
        throw new NamespaceException(
            Reason.INVALID, "fid=" + Fid.text(output.fid()) + " is an output twice");
      }
      outputs.add(output(output, caller));
    }
    for (Input input : recipe.inputs()) {
      if (!input.isOutside()) {
        requireReadable(input.fid(), caller);
      }
    }
    requireNoCycle(recipe, made);
    programs.require(recipe);
    Dependency dependency = new Dependency(graph.nextId(), recipe, outputs, isNondeterministic);
    graph.add(isGrowing ? dependency.growing(nowMs) : dependency);
    programs.add(recipe);
    return dependency.id();
  }

  private static void requireShape(Dependency.Recipe recipe, List<Output> asked, boolean isGrowing)
      throws NamespaceException {
    int inputs = recipe.inputs().size();
    boolean isMadeByNothing = recipe.programs().isEmpty() && recipe.config().length == 0;
    if (asked.isEmpty() && !isGrowing || isMadeByNothing) {
      throw new NamespaceException(
          Reason.INVALID,
          ("a dependency has an output, or is growing, and a program or a configuration:"
                  + " outputs=%d programs=%d")
              .formatted(asked.size(), recipe.programs().size()));
    }
    if (!recipe.name().isEmpty() && !NAME.matcher(recipe.name()).matches()) {
      throw new NamespaceException(
          Reason.INVALID,
          "a dependency's name has 1 to 255 letters of ASCII, digits and characters of '_.:-', not"
              + " '%s'".formatted(recipe.name()));
    }
    if (recipe.type() == Breadth.NARROW && isGrowing) {
      throw new NamespaceException(
          Reason.INVALID, "a growing dependency is wide: its outputs come in any order");
    }
    if (recipe.type() == Breadth.NARROW && inputs != asked.size()) {
      throw new NamespaceException(
          Reason.INVALID,
          "of a narrow dependency each output is made of one input: inputs=%d outputs=%d"
              .formatted(inputs, asked.size()));
    }
    for (Input input : recipe.inputs()) {
      if (input.isOutside() && input.uri().isEmpty()) {
        throw new NamespaceException(
            Reason.INVALID, "an input is a file of the store, or has a URI");
      }
    }
  }

  private Output output(Output asked, Caller caller) throws NamespaceException {
    int slot = tree.requireLive(asked.fid());
    if (!tree.access().isOwner(caller, slot)) {
      // Ids can be guessed: who may not is not told in which directory it is.
      throw tree.access().denied(caller, "record how to make", tree.name(slot), slot);
    }
    String path = tree.path(slot);
    if (inodes.isDirectory(slot)) {
      throw new NamespaceException(Reason.IS_A_DIRECTORY, path + " is a directory");
    }
    Producer producer = graph.producer(asked.fid());
    if (producer != null) {
      throw new NamespaceException(
          Reason.EXISTS,
          "it is recorded already how %s is made: dependency=%d"
              .formatted(path, producer.dependency()));
    }
    return known(Output.pending(asked.fid(), asked.part()), slot);
  }

  private void requireReadable(long fid, Caller caller) throws NamespaceException {
    Producer producer = graph.producer(fid);
    int slot = inodes.find(fid);
    boolean isLive = slot != InodeTable.NONE && tree.isWithin(slot, InodeTable.ROOT);
    if (!isLive && producer != null) {
      requireOwner(graph.find(producer.dependency()), caller);
      return;
    }
    slot = tree.requireLive(fid);
    tree.require(caller, Access.READ, "read", slot, tree.name(slot));
    String path = tree.path(slot);
    if (inodes.isDirectory(slot)) {
      throw new NamespaceException(
          Reason.IS_A_DIRECTORY, path + " is a directory: name the files in it");
    }
    if (inodes.kind(slot) == Kind.WRITING && producer == null) {
      throw new NamespaceException(
          Reason.NOT_COMPLETE,
          path + " is being written, and it is not recorded how: complete it first");
    }
  }

  private void requireNoCycle(Dependency.Recipe recipe, Set<Long> made) throws NamespaceException {
    List<Long> inputs =
        recipe.inputs().stream().filter(input -> !input.isOutside()).map(Input::fid).toList();
    // What nothing was made of is nobody's ancestor, but it may be an input itself.
    boolean isRead = made.stream().anyMatch(fid -> graph.consumers(fid).length > 0);
    Ancestry ancestry =
        isRead
            ? graph.ancestry(inputs, made, MOST_ANCESTORS)
            : inputs.stream().anyMatch(made::contains) ? Ancestry.FOUND : Ancestry.NOT_FOUND;
    if (ancestry == Ancestry.FOUND) {
      throw new NamespaceException(
          Reason.INVALID, "an input would be made of an output: dependencies have no cycles");
    }
    if (ancestry == Ancestry.TOO_FAR) {
      throw new NamespaceException(
          Reason.INVALID,
          "an output was read before, and its inputs have more than %d ancestors, so that a cycle"
                  .formatted(MOST_ANCESTORS)
              + " cannot be ruled out: record dependencies in the order in which files are made");
    }
  }

  // ---- dependencies that are growing

  /** Throws unless a file that a caller creates may be an output of a dependency. */
  public void requireGrowing(long id, Caller caller) throws NamespaceException {
    Dependency dependency = require(id);
    if (!dependency.recipe().owner().equals(caller.user())) {
      throw new NamespaceException(
          Reason.DENIED,
          "dependency=%d is of %s, and a file of %s cannot be an output of it"
              .formatted(id, dependency.recipe().owner(), caller.user()));
    }
    if (!dependency.isGrowing()) {
      throw new NamespaceException(
          Reason.INVALID,
          "dependency=%d is sealed and takes no further output: record how the file is made by"
                  .formatted(id)
              + " another one");
    }
  }

  /**
   * Adds an output to a dependency of which {@link #requireGrowing} says that it may be.
   *
   * @param fid of a file that was just created, complete or not
   */
  public void grow(long id, long fid, Part part) {
    graph.append(id, known(Output.pending(fid, part), inodes.find(fid)), nowMs);
  }

  /** No output is added to a dependency any more. A repetition does no harm. */
  public void seal(long id, Caller caller) throws NamespaceException {
    requireOwner(require(id), caller);
    graph.seal(id);
  }

  /** The same of some dependencies to which none was added since a time of the journal. */
  public void sealIdle(long sinceMs) {
    graph.idle(sinceMs, SEALED_PER_ENTRY).forEach(graph::seal);
  }

  /** The dependency of this id. */
  public Dependency require(long id) throws NamespaceException {
    Dependency dependency = graph.find(id);
    if (dependency == null) {
      throw new NamespaceException(
          Reason.NOT_FOUND,
          "there is no dependency=" + id + ": its files are all below or deleted, or it never was");
    }
    return dependency;
  }

  /** What makes a file; throws when that is not recorded. */
  public static Producer requireProducer(DependencyGraph graph, long fid)
      throws NamespaceException {
    Producer producer = graph.producer(fid);
    if (producer == null) {
      throw new NamespaceException(
          Reason.NOT_FOUND, "it is not recorded how fid=" + Fid.text(fid) + " is made");
    }
    return producer;
  }

  /** Throws unless a caller is who has recorded a dependency, or a superuser. */
  public static void requireOwner(Dependency dependency, Caller caller) throws NamespaceException {
    if (!isOwner(dependency, caller)) {
      throw new NamespaceException(
          Reason.DENIED,
          "dependency=%d is of %s, not of %s"
              .formatted(dependency.id(), dependency.recipe().owner(), caller.user()));
    }
  }

  /** Whether a caller is who has recorded a dependency, or a superuser. */
  public static boolean isOwner(Dependency dependency, Caller caller) {
    return caller.isSuperuser() || dependency.recipe().owner().equals(caller.user());
  }

  // ---- what becomes of files

  /** How late it is by the journal's clock. */
  void at(long journalMs) {
    nowMs = journalMs;
  }

  /** What is known of an output now. */
  private Output known(Output before, int slot) {
    OutputState state = state(before.state(), slot);
    boolean isNew = before.state() == OutputState.PENDING && !state.equals(OutputState.PENDING);
    return isNew && state != OutputState.DELETED ? complete(before, slot, state) : before.in(state);
  }

  private Output complete(Output before, int slot, OutputState state) {
    return before.complete(state, inodes.length(slot), inodes.checksum(slot));
  }

  private OutputState state(OutputState before, int slot) {
    if (slot == InodeTable.NONE || !tree.isWithin(slot, InodeTable.ROOT)) {
      return OutputState.DELETED;
    } else if (before == OutputState.REVIVED) {
      return blocks.isWhole(slot) ? before : OutputState.REVIVING;
    } else if (before == OutputState.REVIVING) {
      return before;
    } else if (inodes.kind(slot) == Kind.WRITING) {
      return OutputState.PENDING;
    } else if (mounted.isBelow(slot)) {
      return OutputState.BELOW;
    } else if (before.isDoubtful()) {
      return before;
    }
    return blocks.isWhole(slot) ? OutputState.STORED : OutputState.LOST;
  }

  /**
   * An output as its blocks are now: LOST also before the journal has that, because the worker may
   * come back.
   */
  public Output now(Producer producer) {
    Output output = graph.find(producer.dependency()).output(producer.at());
    boolean isDeleted = output.state() == OutputState.DELETED;
    return isDeleted ? output : known(output, inodes.find(output.fid()));
  }

  private void look(long fid) {
    Producer producer = graph.producer(fid);
    if (producer != null) {
      look(graph.find(producer.dependency()), producer.at());
    }
  }

  private void look(Dependency dependency, int at) {
    Output before = dependency.output(at);
    if (before.state() == OutputState.DELETED) {
      return;
    }
    int slot = inodes.find(before.fid());
    Output now = known(before, slot);
    if (now.state() == OutputState.DELETED) {
      delete(before.fid(), slot);
    } else if (now.state() != before.state()) {
      recomputes.forget(now.fid());
      graph.change(now);
      lostNoMore(before.state());
    }
  }

  private void delete(long fid, int slot) {
    Output before = graph.output(fid);
    recomputes.forget(fid);
    boolean isThere = slot != InodeTable.NONE;
    boolean isComplete = isThere && inodes.kind(slot) == Kind.COMPLETE;
    if (isComplete && before.state() == OutputState.PENDING) {
      graph.change(complete(before, slot, OutputState.STORED)); // nobody has looked since
    }
    graph.delete(fid, isThere ? inodes.blockSizeLog(slot) : 0);
    lostNoMore(before.state());
  }

  private void lostNoMore(OutputState before) {
    if (before.isLost()) {
      revived.lookAgain();
    }
  }

  /** The file is there no more. */
  void freed(long fid) {
    revived.freed(fid);
    OutputState state = graph.state(fid);
    if (state != null && state != OutputState.DELETED) {
      delete(fid, inodes.find(fid));
    }
    if (state == null) {
      recomputes.forgetLeftOvers(fid);
    }
  }

  /** What a worker had that is gone is to be looked for. */
  void workerGone() {
    if (graph.size() > 0) {
      goneMs = nowMs;
    }
  }

  /** When the last worker went whose files nobody has looked for yet, by the journal's clock. */
  public OptionalLong goneMs() {
    return goneMs == NEVER ? OptionalLong.empty() : OptionalLong.of(goneMs);
  }

  /** Begins to look for what is lost with workers that are gone: they had time to come back. */
  public void lookForLost() {
    if (goneMs != NEVER) {
      goneMs = NEVER;
      scanAfter = 0;
    }
  }

  /** What a worker's word is worth that it has a block. */
  enum Word {
    /** The block is there. */
    COUNTS,
    /** The file is being written again: it may be of an attempt that has not ended. */
    OPEN,
    /** An attempt that has ended has left the block: it is of no use. */
    WORTHLESS
  }

  /**
   * What it is worth that a worker says that it has a block.
   *
   * @param worker lives
   * @param isHeld whether it is known already that it has the block
   */
  Word word(long fid, int block, int worker, boolean isHeld) {
    if (graph.size() == 0 && !recomputes.hasUnproven() || isHeld) {
      return Word.COUNTS;
    }
    OutputState state = graph.state(fid);
    boolean isDoubtful = state != null && state.isDoubtful();
    if (isDoubtful && recomputes.attempt(fid) != 0) {
      return Word.OPEN;
    }
    return isDoubtful || recomputes.isUnproven(fid, block, worker) ? Word.WORTHLESS : Word.COUNTS;
  }

  /**
   * Looks at some outputs of which something has changed, and removes some dependencies that need
   * not be kept. To be called with each change.
   *
   * @param limit how many, about
   * @param removed told which dependencies are kept no more
   * @return whether there is more
   */
  boolean sweep(int limit, Consumer<Dependency> removed) {
    boolean more = suspects.take(limit, this::look);
    more |= scan(limit);
    more |= graph.collect(limit, removed.andThen(this::collected));
    return more || revived.isLooking();
  }

  private void collected(Dependency dependency) {
    programs.remove(dependency);
    for (int i = 0; i < dependency.outputs(); i++) {
      if (dependency.state(i).isRevived()) {
        revived.lookAgain();
      } else if (inodes.find(dependency.fid(i)) == InodeTable.NONE) {
        recomputes.forgetLeftOvers(dependency.fid(i));
      }
    }
  }

  /**
   * Deletes some files that were made again for others, which need them no more. To be called with
   * each change, before {@link #sweep} and before what was deleted is freed.
   */
  void sweepRevived(int limit) {
    revived.sweep(limit, recomputes::forget);
  }

  private boolean scan(int limit) {
    if (scanAfter != NO_SCAN) {
      long from = scanAfter;
      scanAfter = NO_SCAN;
      int work = 0;
      for (Dependency dependency : graph.after(from)) {
        for (int i = 0; i < dependency.outputs(); i++) {
          look(dependency.fid(i));
        }
        work += dependency.outputs();
        if (work >= limit) {
          scanAfter = dependency.id();
          break;
        }
      }
    }
    return scanAfter != NO_SCAN;
  }

  /**
   * Writes { gone at:8 scan after:8 suspects, as Suspects.write recomputes, as Recomputes.write }.
   */
  void writeHead(DataOutputStream out) throws IOException {
    out.writeLong(goneMs);
    out.writeLong(scanAfter);
    suspects.write(out);
    recomputes.write(out);
  }

  void readHead(DataInputStream in) throws IOException {
    goneMs = in.readLong();
    scanAfter = in.readLong();
    suspects.read(in);
    recomputes.read(in);
  }

  /** Writes which deleted files are made again, as RevivedFiles.write says. */
  void writeRevived(DataOutputStream out) throws IOException {
    revived.write(out);
  }

  void readRevived(DataInputStream in) throws IOException {
    revived.read(in);
  }

  /**
   * Reads the graph, after all else.
   *
   * @param mayGrow whether it is of a version whose records have names and may grow
   * @param mayWait whether it is of a version whose records may wait until they go
   */
  void readGraph(DataInputStream in, boolean mayGrow, boolean mayWait) throws IOException {
    graph.read(in, mayGrow, mayWait);
    graph.after(0).forEach(dependency -> programs.restore(dependency.recipe()));
  }
}
