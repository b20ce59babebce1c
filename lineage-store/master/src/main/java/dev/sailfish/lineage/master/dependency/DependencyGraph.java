package dev.sailfish.lineage.master.dependency;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * All dependencies, as a graph without cycles between files.
 *
 * <p>A dependency is kept while an output is neither below nor deleted, and while another one that
 * is kept may need an output: one with an output that may be lost or was deleted. One that is
 * growing is kept, and what it was made of. So a chain of files that were all copied below costs
 * nothing, and of one whose last file may be lost all is there that has to be made again. What is
 * to be kept no more goes bit by bit, see {@link #collect}, so that the end of a long chain delays
 * nobody.
 */
public final class DependencyGraph {
  private static final long[] NONE = {};

  private final TreeMap<Long, Node> nodes = new TreeMap<>();
  private final Map<Long, Producer> producers = new HashMap<>();

  /** By a file: the dependencies that have it as an input, in the order of their ids. */
  private final Map<Long, long[]> consumers = new HashMap<>();

  private final Map<Name, Long> names = new HashMap<>();
  private final NavigableSet<Long> growing = new TreeSet<>();
  private final NavigableSet<Long> lost = new TreeSet<>(Long::compareUnsigned);

  /** To be looked at: they may not have to be kept. */
  private final Set<Long> candidates = new LinkedHashSet<>();

  /** To be looked at when they have waited; since when they do, the first one first. */
  private final Map<Long, Long> waiting = new LinkedHashMap<>();

  private long keptMs;
  private long nowMs;

  private GraphWatcher watcher; // null: nobody watches
  private final GivenUp givenUp = new GivenUp();
  private long last;
  private int outputs;
  private int nondeterministic;

  private static final class Node {
    private Dependency now;

    /** Inputs of kept dependencies that need them, and are outputs of this one. */
    private int needed;

    Node(Dependency now) {
      this.now = now;
    }

    boolean isKept() {
      return now.isOpen() || needed > 0;
    }
  }

  /** What an owner calls a dependency. */
  private record Name(String owner, String name) {}

  /**
   * What makes a file.
   *
   * @param at which of its outputs the file is, from 0
   */
  public record Producer(long dependency, int at) {}

  /**
   * Has what becomes of dependencies told from now on, in place of who was told before.
   *
   * @param next null: nobody is told
   */
  public void watch(GraphWatcher next) {
    watcher = next;
  }

  /**
   * How long a dependency stays that need not be kept: something may be made of its outputs soon,
   * which is then kept with them.
   */
  public void keepFor(long ms) {
    keptMs = ms;
  }

  /** How late it is by the journal's clock. */
  public void at(long journalMs) {
    nowMs = journalMs;
  }

  /** How many dependencies there are. */
  public int size() {
    return nodes.size();
  }

  /** How many outputs all of them have. */
  public int outputs() {
    return outputs;
  }

  /** How many outputs are lost. */
  public int lost() {
    return lost.size();
  }

  /** Lost outputs that cannot be recomputed; to be read only. */
  public GivenUp givenUp() {
    return givenUp;
  }

  /** How many do not give the same bytes again, as far as is known. */
  public int nondeterministic() {
    return nondeterministic;
  }

  /** How many are growing. */
  public int growing() {
    return growing.size();
  }

  /** The id that the next one gets. */
  public long nextId() {
    return last + 1;
  }

  /** The dependency of this id, or null. */
  public Dependency find(long id) {
    Node node = nodes.get(id);
    return node == null ? null : node.now;
  }

  /** The dependency that its owner calls so, or null. */
  public Dependency find(String owner, String name) {
    Long id = names.get(new Name(owner, name));
    return id == null ? null : find(id);
  }

  /** What makes a file, or null. */
  public Producer producer(long fid) {
    return producers.get(fid);
  }

  /** Whether a file is an output of a dependency. */
  public boolean isOutput(long fid) {
    return producers.containsKey(fid);
  }

  /** An output as it is known, or null. */
  public Output output(long fid) {
    Producer producer = producers.get(fid);
    return producer == null ? null : nodes.get(producer.dependency).now.output(producer.at);
  }

  /** The state of an output, or null. */
  public OutputState state(long fid) {
    Producer producer = producers.get(fid);
    return producer == null ? null : nodes.get(producer.dependency).now.state(producer.at);
  }

  /** The dependencies that have a file as an input, in the order of their ids; a copy. */
  public long[] consumers(long fid) {
    return consumers.getOrDefault(fid, NONE).clone();
  }

  /** The dependencies after one, in the order of their ids. */
  public Iterable<Dependency> after(long id) {
    return () -> nodes.tailMap(id, false).values().stream().map(node -> node.now).iterator();
  }

  /** Those of them that are growing. */
  public Iterable<Dependency> growingAfter(long id) {
    return () -> growing.tailSet(id, false).stream().map(this::find).iterator();
  }

  /** The files that are lost after one, in the order of their ids; not to be changed. */
  public Iterable<Long> lostAfter(long fid) {
    return lost.tailSet(fid, false);
  }

  /**
   * Whether a file is among what some files were made of, or one of them.
   *
   * @param most how many files are looked at
   * @return whether it was found, or is farther away than that
   */
  public Ancestry ancestry(Iterable<Long> files, Set<Long> sought, int most) {
    Deque<Long> open = new ArrayDeque<>();
    Set<Long> seen = new HashSet<>();
    files.forEach(open::add);
    while (!open.isEmpty()) {
      long fid = open.poll();
      if (sought.contains(fid)) {
        return Ancestry.FOUND;
      }
      Producer producer = producers.get(fid);
      if (producer == null || !seen.add(producer.dependency)) {
        continue;
      }
      List<Input> inputs = nodes.get(producer.dependency).now.recipe().inputs();
      if (seen.size() + open.size() + inputs.size() > most) {
        return Ancestry.TOO_FAR;
      }
      inputs.stream().filter(input -> !input.isOutside()).forEach(input -> open.add(input.fid()));
    }
    return Ancestry.NOT_FOUND;
  }

  /**
   * Whether a file that was deleted is needed: something that is lost is made of it, be it by way
   * of others that were deleted and are not there again.
   *
   * @param most how many files are looked at
   * @return whether it is, or that is farther away than that
   */
  public Ancestry lostDescendant(long fid, int most) {
    return new DescendantSearch(this).from(fid, most);
  }

  /** Whether a file was found among ancestors, or descendants. */
  public enum Ancestry {
    /** One was. */
    FOUND,
    /** None was. */
    NOT_FOUND,
    /** There are more than were to be looked at. */
    TOO_FAR
  }

  /** Adds a dependency whose id is {@link #nextId}; no output has one, and there is no cycle. */
  public void add(Dependency dependency) {
    if (dependency.id() != nextId()) {
      throw new IllegalArgumentException("id=" + dependency.id() + " next=" + nextId());
    }
    last = dependency.id();
    insert(dependency);
    for (int i = 0; i < dependency.outputs(); i++) {
      countConsumers(dependency.id(), dependency.fid(i));
    }
    need(dependency, dependency.needsInputs() ? 1 : 0);
    lookLater(dependency.id());
    if (watcher != null) {
      watcher.added(dependency);
    }
  }

  /**
   * Adds an output to a dependency that is growing. The file is new: no dependency has it yet.
   *
   * @param nowMs by the journal's clock
   */
  public void append(long id, Output output, long nowMs) {
    Node node = nodes.get(id);
    if (!node.now.isGrowing() || isOutput(output.fid())) {
      throw new IllegalArgumentException(
          "dependency=%d takes no fid=%016x".formatted(id, output.fid()));
    }
    node.now = node.now.plus(output, nowMs);
    outputs++;
    made(node.now, node.now.outputs() - 1);
    countConsumers(id, output.fid());
    if (watcher != null) {
      watcher.appended(node.now);
    }
  }

  /** No output is added to a dependency any more. */
  public void seal(long id) {
    if (growing.remove(id)) {
      Node node = nodes.get(id);
      Dependency before = node.now;
      node.now = before.sealed();
      needAsChanged(before, node.now);
      if (watcher != null) {
        watcher.sealed(node.now);
      }
    }
  }

  /**
   * Dependencies that are growing and have not grown for some time, in the order of their ids.
   *
   * @param sinceMs by the journal's clock: no output was added since then
   * @param limit how many, at most
   */
  public List<Long> idle(long sinceMs, int limit) {
    return growing.stream().filter(id -> find(id).grewMs() < sinceMs).limit(limit).toList();
  }

  /** Of a file that others were made of before it was recorded how it is made itself. */
  private void countConsumers(long id, long fid) {
    for (long consumer : consumers.getOrDefault(fid, NONE)) {
      Dependency reader = nodes.get(consumer).now;
      if (reader.needsInputs()) {
        nodes.get(id).needed +=
            (int) reader.recipe().inputs().stream().filter(input -> input.fid() == fid).count();
      }
    }
  }

  private void insert(Dependency dependency) {
    long id = dependency.id();
    nodes.put(id, new Node(dependency));
    outputs += dependency.outputs();
    nondeterministic += dependency.isNondeterministic() ? 1 : 0;
    for (int i = 0; i < dependency.outputs(); i++) {
      made(dependency, i);
    }
    if (dependency.isGrowing()) {
      growing.add(id);
    }
    Dependency.Recipe recipe = dependency.recipe();
    if (!recipe.name().isEmpty()) {
      names.put(new Name(recipe.owner(), recipe.name()), id);
    }
    for (Input input : dependency.recipe().inputs()) {
      if (!input.isOutside()) {
        consumers.merge(input.fid(), new long[] {id}, DependencyGraph::joined);
      }
    }
  }

  /** A dependency has this output from now on. */
  private void made(Dependency dependency, int at) {
    producers.put(dependency.fid(at), new Producer(dependency.id(), at));
    if (dependency.state(at).isLost()) {
      lost.add(dependency.fid(at));
    }
  }

  private static long[] joined(long[] all, long[] one) {
    if (all[all.length - 1] == one[0]) {
      return all; // the same input twice
    }
    long[] joined = Arrays.copyOf(all, all.length + 1);
    joined[all.length] = one[0];
    return joined;
  }

  private void need(Dependency dependency, int change) {
    if (change == 0) {
      return;
    }
    for (Input input : dependency.recipe().inputs()) {
      Producer producer = producers.get(input.fid());
      if (producer != null) {
        nodes.get(producer.dependency).needed += change;
        lookLater(producer.dependency);
      }
    }
  }

  /** An output is in another state, and else the same. */
  public void move(long fid, OutputState next) {
    change(output(fid).in(next));
  }

  /**
   * An output is deleted.
   *
   * @param blockSizeLog log2 of its block size, with which it may be made again
   */
  public void delete(long fid, int blockSizeLog) {
    move(fid, OutputState.DELETED);
    Producer producer = producers.get(fid);
    Node node = nodes.get(producer.dependency);
    node.now = node.now.withBlockSize(producer.at, blockSizeLog);
  }

  /**
   * An output is in another state; the one place where that happens.
   *
   * @param output with its length and checksum, once it is complete
   * @throws IllegalStateException when that state does not follow the one that it is in
   */
  public void change(Output output) {
    long fid = output.fid();
    Producer producer = producers.get(fid);
    Node node = nodes.get(producer.dependency);
    Dependency before = node.now;
    OutputState was = before.state(producer.at);
    OutputState next = output.state();
    if (!was.successors().contains(next)) {
      throw new IllegalStateException(
          "fid=%016x of dependency=%d: %s does not follow %s"
              .formatted(fid, producer.dependency, next, was));
    }
    Output old = before.output(producer.at);
    node.now = before.with(producer.at, output);
    if (next.isLost()) {
      lost.add(fid);
    } else {
      lost.remove(fid);
    }
    givenUp.set(fid, "");
    needAsChanged(before, node.now);
    if (watcher != null) {
      watcher.moved(old, output);
    }
  }

  private void needAsChanged(Dependency before, Dependency now) {
    need(now, (now.needsInputs() ? 1 : 0) - (before.needsInputs() ? 1 : 0));
    lookLater(now.id());
  }

  /** At once if all its outputs are deleted, as nobody begins to read these. */
  private void lookLater(long id) {
    waiting.remove(id);
    if (nodes.get(id).now.isDeleted()) {
      candidates.add(id);
    } else {
      waiting.put(id, nowMs);
    }
  }

  /**
   * A lost output cannot be recomputed. It is tried again when it is in another state.
   *
   * @param cause a sentence; empty: it is to be tried again now
   * @throws IllegalStateException when it is not LOST
   */
  public void giveUp(long fid, String cause) {
    if (state(fid) != OutputState.LOST) {
      throw new IllegalStateException("fid=%016x is %s, not lost".formatted(fid, state(fid)));
    }
    givenUp.set(fid, cause);
  }

  /** Whether a dependency is known not to give the same bytes again. */
  public boolean isNondeterministic(long id) {
    Dependency dependency = find(id);
    return dependency != null && dependency.isNondeterministic();
  }

  /** A dependency does not give the same bytes again. */
  public void markNondeterministic(long id) {
    Node node = nodes.get(id);
    if (!node.now.isNondeterministic()) {
      node.now = node.now.markedNondeterministic();
      nondeterministic++;
    }
  }

  /**
   * Removes some dependencies that are to be kept no more; to be called with each change.
   *
   * @param limit how many inputs and outputs are looked at, about
   * @param collected told what was removed
   * @return whether there is more
   */
  public boolean collect(int limit, Consumer<Dependency> collected) {
    int work = endWaits(limit);
    while (work < limit && !candidates.isEmpty()) {
      Iterator<Long> first = candidates.iterator();
      long id = first.next();
      first.remove();
      work++;
      Node node = nodes.get(id);
      if (node != null && !node.isKept()) {
        work += node.now.outputs() + node.now.recipe().inputs().size();
        remove(node.now);
        collected.accept(node.now);
        if (watcher != null) {
          watcher.removed(node.now);
        }
      }
    }
    return !candidates.isEmpty();
  }

  private int endWaits(int limit) {
    int count = 0;
    Iterator<Map.Entry<Long, Long>> all = waiting.entrySet().iterator();
    boolean isOver = true;
    while (isOver && count < limit && all.hasNext()) {
      Map.Entry<Long, Long> first = all.next();
      isOver = nowMs - first.getValue() >= keptMs;
      if (isOver) {
        candidates.add(first.getKey());
        all.remove();
        count++;
      }
    }
    return count;
  }

  private void remove(Dependency dependency) {
    long id = dependency.id();
    nodes.remove(id);
    names.remove(new Name(dependency.recipe().owner(), dependency.recipe().name()), id);
    outputs -= dependency.outputs();
    nondeterministic -= dependency.isNondeterministic() ? 1 : 0;
    for (int i = 0; i < dependency.outputs(); i++) {
      producers.remove(dependency.fid(i));
    }
    for (Input input : dependency.recipe().inputs()) {
      consumers.computeIfPresent(
          input.fid(),
          (fid, all) -> {
            int at = Arrays.binarySearch(all, id);
            return at < 0 ? all : without(all, at);
          });
    }
    need(dependency, dependency.needsInputs() ? -1 : 0);
    for (Input input : dependency.recipe().inputs()) { // it has waited, and so have they
      Producer producer = producers.get(input.fid());
      if (producer != null && waiting.remove(producer.dependency) != null) {
        candidates.add(producer.dependency);
      }
    }
  }

  private static long[] without(long[] all, int at) {
    if (all.length == 1) {
      return null;
    }
    long[] others = Arrays.copyOf(all, all.length - 1);
    System.arraycopy(all, at + 1, others, at, others.length - at);
    return others;
  }

  /** The graph as it is now, for a snapshot. */
  public DependencyImage image() {
    Dependency[] all = new Dependency[nodes.size()];
    int next = 0;
    for (Node node : nodes.values()) {
      all[next++] = node.now;
    }
    return new DependencyImage(last, List.copyOf(candidates), new LinkedHashMap<>(waiting), all);
  }

  /**
   * Reads what a {@link DependencyImage} wrote into this graph, which must be empty.
   *
   * @param mayGrow whether it is of a version whose records have names and may grow
   * @param mayWait whether it is of a version whose records may wait until they go
   * @throws IOException when that is damaged
   */
  public void read(DataInputStream in, boolean mayGrow, boolean mayWait) throws IOException {
    last = in.readLong();
    List<Long> open = new ArrayList<>();
    Map<Long, Long> waits = new LinkedHashMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      open.add(in.readLong());
    }
    for (int left = mayWait ? in.readInt() : 0; left > 0; left--) {
      waits.put(in.readLong(), in.readLong());
    }
    int count = in.readInt();
    for (int i = 0; i < count; i++) {
      insert(Dependency.read(in, mayGrow));
    }
    for (Node node : nodes.values()) {
      need(node.now, node.now.needsInputs() ? 1 : 0);
    }
    candidates.clear(); // those that reading has added
    waiting.clear();
    waiting.putAll(waits);
    candidates.addAll(open);
  }
}
