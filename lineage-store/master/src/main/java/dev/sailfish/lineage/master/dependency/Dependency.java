package dev.sailfish.lineage.master.dependency;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One lineage record: ordered inputs, ordered outputs, program, configuration, type (Tachyon, 3.1
 * and table 2). Immutable: a change of an output makes another object, which shares all else, so
 * that a snapshot keeps the one that it began with.
 *
 * <pre>
 *   growing ──seal──▶ sealed        a growing one gets more outputs; all others are sealed
 * </pre>
 */
public final class Dependency {
  private static final int NONDETERMINISTIC = 1;
  private static final int GROWING = 2;
  private static final long SEALED = -1; // in place of a time
  private static final Input[] NO_INPUTS = {};

  private final long id;
  private final Recipe recipe;
  private final boolean nondeterministic;
  private final long grewMs;
  private final Outputs outputs;
  private final int open;
  private final int deleted;

  /**
   * What does not change.
   *
   * @param owner who has recorded it
   * @param name what the owner calls it, and no other one of his; empty: nothing
   * @param programs the program is the first one
   * @param config for the program alone; not to be changed
   */
  public record Recipe(
      String owner,
      String name,
      Breadth type,
      List<Input> inputs,
      List<Program> programs,
      byte[] config) {
    /** Copies the lists; cuts an owner's name that no snapshot can have. */
    public Recipe {
      owner = RecordText.fitted(owner);
      inputs = List.of(inputs.toArray(NO_INPUTS));
      programs = List.copyOf(programs);
    }
  }

  /** A sealed record of outputs as they are. */
  public Dependency(long id, Recipe recipe, List<Output> outputs, boolean nondeterministic) {
    this(id, recipe, nondeterministic, SEALED, Outputs.of(outputs));
  }

  private Dependency(
      long id, Recipe recipe, boolean nondeterministic, long grewMs, Outputs outputs) {
    this.id = id;
    this.recipe = recipe;
    this.nondeterministic = nondeterministic;
    this.grewMs = grewMs;
    this.outputs = outputs;
    int opened = 0;
    int gone = 0;
    for (int at = 0; at < outputs.size(); at++) {
      opened += open(outputs.state(at));
      gone += deleted(outputs.state(at));
    }
    open = opened;
    deleted = gone;
  }

  /** Another one's successor, with other outputs. */
  private Dependency(Dependency before, long grewMs, Outputs outputs, int open, int deleted) {
    id = before.id;
    recipe = before.recipe;
    nondeterministic = before.nondeterministic;
    this.grewMs = grewMs;
    this.outputs = outputs;
    this.open = open;
    this.deleted = deleted;
  }

  private static int open(OutputState state) {
    return state.isSettled() ? 0 : 1;
  }

  private static int deleted(OutputState state) {
    return state.isDeleted() ? 1 : 0;
  }

  /** The same with another output at a place; the file stays the same one. */
  Dependency with(int at, Output output) {
    OutputState was = state(at);
    OutputState is = output.state();
    return new Dependency(
        this,
        grewMs,
        outputs.with(at, output),
        open + open(is) - open(was),
        deleted + deleted(is) - deleted(was));
  }

  /** The same and one more output, at a time of the journal. */
  Dependency plus(Output output, long nowMs) {
    OutputState state = output.state();
    return new Dependency(
        this, nowMs, outputs.plus(output), open + open(state), deleted + deleted(state));
  }

  /** The same, to which outputs may be added, since a time of the journal. */
  public Dependency growing(long nowMs) {
    return new Dependency(this, nowMs, outputs, open, deleted);
  }

  /** The same, to which no output is added any more. */
  Dependency sealed() {
    return new Dependency(this, SEALED, outputs, open, deleted);
  }

  /** The same with the block size of an output that is deleted. */
  Dependency withBlockSize(int at, int blockSizeLog) {
    return new Dependency(this, grewMs, outputs.withBlockSize(at, blockSizeLog), open, deleted);
  }

  /** The same, known not to give the same bytes again. */
  Dependency markedNondeterministic() {
    return new Dependency(id, recipe, true, grewMs, outputs);
  }

  /** Names it among those of any time; from 1. */
  public long id() {
    return id;
  }

  /** What does not change. */
  public Recipe recipe() {
    return recipe;
  }

  /** Whether it is known not to give the same bytes again. */
  public boolean isNondeterministic() {
    return nondeterministic;
  }

  /** Whether outputs may be added. */
  public boolean isGrowing() {
    return grewMs != SEALED;
  }

  /**
   * Of one that is growing: when an output was added, or it was recorded, by the journal's clock.
   */
  long grewMs() {
    return grewMs;
  }

  /** How many outputs it has. */
  public int outputs() {
    return outputs.size();
  }

  /** The file of an output. */
  public long fid(int at) {
    return outputs.fid(at);
  }

  /** Where the bytes of an output are. */
  public OutputState state(int at) {
    return outputs.state(at);
  }

  /** An output as it is known. */
  public Output output(int at) {
    return outputs.get(at);
  }

  /** log2 of the block size of an output that was deleted; 0: it is not known. */
  public int blockSizeLog(int at) {
    return outputs.blockSizeLog(at);
  }

  /** Whether an output is made of an input: of a narrow dependency, the one at its place. */
  boolean isMadeOf(int at, long input) {
    return recipe.type() == Breadth.WIDE || recipe.inputs().get(at).fid() == input;
  }

  /** All of them, in their order. */
  public List<Output> allOutputs() {
    List<Output> all = new ArrayList<>(outputs.size());
    for (int at = 0; at < outputs.size(); at++) {
      all.add(outputs.get(at));
    }
    return all;
  }

  /** Whether all outputs are deleted, and there will be no others. */
  boolean isDeleted() {
    return deleted == outputs() && !isGrowing();
  }

  /** Whether an output is neither below nor deleted, or may be added. */
  boolean isOpen() {
    return open > 0 || isGrowing();
  }

  /**
   * Whether its inputs may be needed: for an output that may be lost or is still to come, or for
   * one that was deleted and may have to be made for what was made of it.
   */
  public boolean needsInputs() {
    return isOpen() || deleted > 0;
  }

  /**
   * Writes
   *
   * <pre>
   *   id:8   flags:1, 1 nondeterministic, 2 growing   type:1
   *   owner, as writeUTF   name, as writeUTF   of one that is growing: grew at:8
   *   inputs:4     { fid:8   of one that is outside, fid 0: uri, as writeUTF   length:8   modified:8 }
   *   programs:4   { name, as writeUTF   hash, as writeUTF }
   *   config:4     bytes
   *   outputs, as Outputs.write
   * </pre>
   */
  void write(DataOutputStream out) throws IOException {
    out.writeLong(id);
    out.writeByte((nondeterministic ? NONDETERMINISTIC : 0) | (isGrowing() ? GROWING : 0));
    out.writeByte(recipe.type().ordinal());
    out.writeUTF(recipe.owner());
    out.writeUTF(recipe.name());
    if (isGrowing()) {
      out.writeLong(grewMs);
    }
    out.writeInt(recipe.inputs().size());
    for (Input input : recipe.inputs()) {
      out.writeLong(input.fid());
      if (input.isOutside()) {
        out.writeUTF(input.uri());
        out.writeLong(input.length());
        out.writeLong(input.modifiedMs());
      }
    }
    out.writeInt(recipe.programs().size());
    for (Program program : recipe.programs()) {
      out.writeUTF(program.name());
      out.writeUTF(program.hash());
    }
    out.writeInt(recipe.config().length);
    out.write(recipe.config());
    outputs.write(out);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param mayGrow whether it is of a version whose records have names and may grow
   */
  static Dependency read(DataInputStream in, boolean mayGrow) throws IOException {
    long id = in.readLong();
    int flags = in.readUnsignedByte();
    int type = in.readUnsignedByte();
    String owner = in.readUTF().intern();
    if (type >= Breadth.values().length) {
      throw new IOException("snapshot is damaged: dependency=" + id + " type=" + type);
    }
    String name = mayGrow ? in.readUTF() : "";
    long grewMs = (flags & GROWING) != 0 ? in.readLong() : SEALED;
    List<Input> inputs = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      long fid = in.readLong();
      inputs.add(
          fid != 0 ? Input.of(fid) : Input.outside(in.readUTF(), in.readLong(), in.readLong()));
    }
    List<Program> programs = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      programs.add(new Program(in.readUTF(), in.readUTF()));
    }
    byte[] config = in.readNBytes(in.readInt());
    Outputs outputs = Outputs.read(in, id, mayGrow);
    Recipe recipe = new Recipe(owner, name, Breadth.values()[type], inputs, programs, config);
    return new Dependency(id, recipe, (flags & NONDETERMINISTIC) != 0, grewMs, outputs);
  }
}
