package dev.sailfish.lineage.edge.checkpoint;

import static dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy.UNKNOWN_NS;
import static dev.sailfish.lineage.edge.checkpoint.FileTable.NONE;

import dev.sailfish.lineage.edge.checkpoint.DependencyTable.Row;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * The graph whose vertices are files, with an edge from A to B where the job that made B read A
 * (section 4.1 of the paper), as far as the order of checkpoints depends on it: of each file it is
 * known whether it is a leaf, and whether something not checkpointed was made of it.
 *
 * <p>A job's files are there when all of them are: as long as a job runs, its inputs are leaves.
 * The paper's file is "all output of a job".
 *
 * <p>A deleted file of which others were made stands between these and its own inputs, so that the
 * inputs do not become leaves; it goes with the last of the others.
 *
 * <p><b>Cost.</b> Each event costs constant time, and each dependency, over all its events, a time
 * in proportion to its inputs and outputs: inputs are looked at only when the dependency is
 * recorded, is done, has its last output checkpointed, and loses its last output. Losses and
 * recomputations repeat that.
 */
final class LineageGraph {
  private static final int STATE_MASK = 0b111;
  private static final int COUNTED_PRESENT = 1 << 3;
  private static final int COUNTED_PENDING = 1 << 4;
  private static final FileState[] STATES = FileState.values();

  private final FileTable files;
  private final DependencyTable dependencies = new DependencyTable();
  private final Map<Long, Integer> growing = new HashMap<>(); // rows by the names of dependencies
  private final Listener listener;
  private final Deque<Integer> affected = new ArrayDeque<>();
  private long nowNs = UNKNOWN_NS;

  /** Hears what becomes of the graph, and does not change it. */
  interface Listener {
    /** Something changed of a file; it is in the table still, if it is to be removed. */
    void changed(int slot);

    /** A dependency was recorded, and its inputs are known. */
    default void recorded(Row row) {}

    /**
     * All files of a dependency are there for the first time; its inputs are not told yet, and are
     * leaves as before.
     *
     * @param outputs slots of its outputs that are known still
     */
    default void done(Row row, int[] outputs) {}
  }

  /**
   * An empty graph.
   *
   * @param files where the files are kept
   */
  LineageGraph(FileTable files, Listener listener) {
    this.files = files;
    this.listener = listener;
  }

  /** What is told from now on happens at this time, or at one that is not known. */
  void at(long time) {
    nowNs = time;
  }

  /** When what was told last happened, or {@link CheckpointPolicy#UNKNOWN_NS}. */
  long nowNs() {
    return nowNs;
  }

  /** The dependency that makes a file, or null. */
  Row maker(int slot) {
    int number = files.get(slot, FileTable.MAKER);
    return number == NONE ? null : dependencies.get(number);
  }

  /** Jobs run that read a file, as far as is known. */
  boolean isBeingRead(int slot) {
    return files.get(slot, FileTable.READERS) > files.get(slot, FileTable.DONE);
  }

  FileState state(int slot) {
    return STATES[files.get(slot, FileTable.STATE) & STATE_MASK];
  }

  /** No job that read it is done. */
  boolean isLeaf(int slot) {
    return files.get(slot, FileTable.DONE) == 0;
  }

  /** Everything that was made of it is checkpointed, or was made of something that is. */
  boolean isLeafOfRest(int slot) {
    return files.get(slot, FileTable.PENDING) == 0;
  }

  /** Files and deleted files that are known. */
  int files() {
    return files.size();
  }

  int dependencies() {
    return dependencies.size();
  }

  void submitted(long[] inputs, long[] outputs) {
    if (outputs.length == 0) {
      throw new IllegalArgumentException("a dependency without outputs");
    }
    requireNew(inputs, outputs);
    int number = add(inputs);
    for (long output : outputs) {
      addOutput(number, output);
    }
    propagate();
  }

  private int add(long[] inputs) {
    int[] inputSlots = new int[inputs.length];
    for (int i = 0; i < inputs.length; i++) {
      inputSlots[i] = findOrAdd(inputs[i]);
      files.add(inputSlots[i], FileTable.READERS, 1);
    }
    int number = dependencies.add(inputSlots);
    Row row = dependencies.get(number);
    row.sinceNs = nowNs;
    for (int input : inputSlots) {
      Row maker = maker(input);
      if (maker != null) {
        maker.reader = row;
      }
    }
    listener.recorded(row);
    return number;
  }

  private void addOutput(int number, long output) {
    int slot = findOrAdd(output);
    files.set(slot, FileTable.MAKER, number);
    dependencies.get(number).name(slot);
    if (state(slot) == FileState.EXPECTED) {
      dependencies.get(number).missing++;
    } else {
      affected.push(slot);
    }
  }

  void began(long dependency, long[] inputs) {
    if (growing.containsKey(dependency)) {
      throw new IllegalArgumentException("dependency %d was told before".formatted(dependency));
    }
    int number = add(inputs);
    dependencies.get(number).growing = true;
    growing.put(dependency, number);
  }

  void grew(long dependency, long output) {
    Integer number = growing.get(dependency);
    if (number == null) {
      return;
    }
    int slot = files.find(output);
    for (int input : dependencies.get(number).inputs) {
      if (input == slot) {
        throw inputAndOutput(output);
      }
    }
    requireNew(output);
    addOutput(number, output);
    propagate();
  }

  void sealed(long dependency) {
    Integer number = growing.remove(dependency);
    if (number != null) {
      dependencies.get(number).growing = false;
      settle(number);
      propagate();
    }
  }

  private void requireNew(long[] inputs, long[] outputs) {
    for (long output : outputs) {
      requireNew(output);
      for (long input : inputs) {
        if (input == output) {
          throw inputAndOutput(output);
        }
      }
    }
  }

  private void requireNew(long output) {
    int slot = files.find(output);
    if (slot != NONE && files.get(slot, FileTable.MAKER) != NONE) {
      throw new IllegalArgumentException(
          "file %016x is an output of another dependency".formatted(output));
    }
  }

  private static IllegalArgumentException inputAndOutput(long output) {
    return new IllegalArgumentException(
        "file %016x is input and output of one dependency".formatted(output));
  }

  /** The slot of a file; one that is not known yet is expected from here on. */
  int findOrAdd(long fid) {
    int slot = files.find(fid);
    return slot == NONE ? files.add(fid) : slot;
  }

  /**
   * Brings a file into another state, and everything that depends on that up to date.
   *
   * @throws IllegalStateException the state cannot follow
   */
  void move(int slot, FileState next) {
    FileState state = state(slot);
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "file %016x: %s cannot follow %s".formatted(files.fid(slot), next, state));
    }
    int maker = files.get(slot, FileTable.MAKER);
    if (state == FileState.EXPECTED && maker != NONE) {
      dependencies.get(maker).missing--;
    }
    files.add(slot, FileTable.STATE, next.ordinal() - state.ordinal());
    affected.push(slot);
    propagate();
  }

  private void propagate() {
    while (!affected.isEmpty()) {
      int slot = affected.pop();
      if (!files.holds(slot)) {
        continue; // It was affected twice, and is removed.
      }
      FileState state = state(slot);
      boolean read = files.get(slot, FileTable.READERS) > 0;
      int maker = files.get(slot, FileTable.MAKER);
      if (maker != NONE) {
        Row row = dependencies.get(maker);
        boolean present = state.isVertex() || state == FileState.DELETED && read;
        boolean pending =
            state.isUncheckpointed()
                || (state == FileState.DELETED || state == FileState.LOST) && !isLeafOfRest(slot);
        row.present += counted(slot, COUNTED_PRESENT, present);
        row.pending += counted(slot, COUNTED_PENDING, pending);
      }
      listener.changed(slot);
      if (!read && (state == FileState.DELETED || state == FileState.EXPECTED && maker == NONE)) {
        files.remove(slot);
      }
      if (maker != NONE) {
        settle(maker);
      }
    }
  }

  /** Notes whether a file counts for its maker, and returns by how much that changes the count. */
  private int counted(int slot, int bit, boolean counts) {
    int word = files.get(slot, FileTable.STATE);
    if ((word & bit) != 0 == counts) {
      return 0;
    }
    files.set(slot, FileTable.STATE, word ^ bit);
    return counts ? 1 : -1;
  }

  /** Tells a dependency's inputs what has changed of it. */
  private void settle(int number) {
    Row row = dependencies.get(number);
    boolean done = row.isDone();
    boolean pending = row.isPending();
    boolean over = row.isOver();
    if (done == row.countsAsDone && pending == row.countsAsPending && !over) {
      return;
    }
    if (done && !row.wasDone()) {
      listener.done(row, outputs(number, row));
    }
    for (int input : row.inputs) {
      files.add(input, FileTable.DONE, difference(row.countsAsDone, done));
      files.add(input, FileTable.PENDING, difference(row.countsAsPending, pending));
      files.add(input, FileTable.READERS, over ? -1 : 0);
      affected.push(input);
      if (over) {
        forgetReader(input, row);
      }
    }
    row.countsAsDone = done;
    row.countsAsPending = pending;
    if (over) {
      dependencies.remove(number);
    }
  }

  /** Outputs that are known still. */
  private int[] outputs(int number, Row row) {
    return Arrays.stream(row.takeOutputs())
        .filter(slot -> files.holds(slot) && files.get(slot, FileTable.MAKER) == number)
        .toArray();
  }

  /** So that no row is kept for what was made of its files long ago. */
  private void forgetReader(int input, Row row) {
    Row maker = maker(input);
    if (maker != null && maker.reader == row) {
      maker.reader = null;
    }
  }

  private static int difference(boolean before, boolean after) {
    return (after ? 1 : 0) - (before ? 1 : 0);
  }
}
