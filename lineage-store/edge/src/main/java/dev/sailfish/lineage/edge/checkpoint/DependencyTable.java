package dev.sailfish.lineage.edge.checkpoint;

import static dev.sailfish.lineage.edge.checkpoint.CheckpointPolicy.UNKNOWN_NS;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Dependencies by row; the row of one that was removed is used again. */
final class DependencyTable {
  /** A job that made, or is making, files of others. */
  static final class Row {
    private static final int[] NO_SLOTS = {};

    /** Slots of the files that it reads. */
    final int[] inputs;

    /** Further outputs may be named: its job runs. */
    boolean growing;

    /** Outputs that are not complete yet. */
    int missing;

    /** Outputs that are there, or of which others were made. */
    int present;

    /** Of these, those that are not checkpointed. */
    int pending;

    /** Its inputs count it among their readers that are done. */
    boolean countsAsDone;

    /** Its inputs count it among their readers with pending outputs. */
    boolean countsAsPending;

    /** Writes of its outputs that have begun; above 0: the others are to follow. */
    int begun;

    /** When it was recorded, and once its files are there, when they were. */
    long sinceNs = UNKNOWN_NS;

    /** How long it takes on average from a file of its chain to the next one; 0: not known. */
    long meanNs;

    /** The dependency that was recorded last of those that read its outputs, until it is over. */
    Row reader;

    private int[] outputs = NO_SLOTS;
    private int named;
    private boolean wasDone;

    private Row(int[] inputs) {
      this.inputs = inputs;
    }

    /** Its job makes more, as far as is known. */
    boolean isRunning() {
      return missing > 0 || growing;
    }

    /** Each output is complete or was deleted, and some are there. */
    boolean isDone() {
      return !isRunning() && present > 0;
    }

    /** Nobody will ever ask for it again. */
    boolean isOver() {
      return !isRunning() && present == 0;
    }

    /**
     * Some outputs are not checkpointed. Once that is so it stays so until all are complete, so
     * that a job whose outputs are completed and checkpointed one by one does not have its inputs
     * counted again for each.
     */
    boolean isPending() {
      return pending > 0 || countsAsPending && isRunning();
    }

    /** Another output is named. */
    void name(int slot) {
      if (!wasDone) {
        if (named == outputs.length) {
          outputs = Arrays.copyOf(outputs, Math.max(4, 2 * named));
        }
        outputs[named++] = slot;
      }
    }

    /**
     * It is done for the first time: gives its outputs, which are not kept any longer. A file that
     * was removed may have left its slot to another one.
     */
    int[] takeOutputs() {
      int[] taken = Arrays.copyOf(outputs, named);
      outputs = NO_SLOTS;
      named = 0;
      wasDone = true;
      return taken;
    }

    boolean wasDone() {
      return wasDone;
    }
  }

  private final List<Row> rows = new ArrayList<>();
  private final List<Integer> free = new ArrayList<>();

  int add(int[] inputs) {
    if (free.isEmpty()) {
      rows.add(new Row(inputs));
      return rows.size() - 1;
    }
    int row = free.remove(free.size() - 1);
    rows.set(row, new Row(inputs));
    return row;
  }

  Row get(int row) {
    return rows.get(row);
  }

  void remove(int row) {
    rows.set(row, null);
    free.add(row);
  }

  int size() {
    return rows.size() - free.size();
  }
}
