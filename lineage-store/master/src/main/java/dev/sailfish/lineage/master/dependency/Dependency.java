package dev.sailfish.lineage.master.dependency;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * One lineage record: ordered inputs, ordered outputs, program, configuration, type (Tachyon, 3.1
 * and table 2). Immutable: a change of an output makes another object, which shares all else, so
 * that a snapshot keeps the one that it began with.
 */
public final class Dependency {
  private static final int HAS_CHECKSUM = 0x80;
  private static final Input[] NO_INPUTS = {};

  private final long id;
  private final Recipe recipe;
  private final boolean nondeterministic;
  private final long[] fids;
  private final int[] indexes;
  private final long[] lengths;
  private final int[] checksums;
  private final byte[] states;
  private final int open;
  private final int deleted;

  /**
   * What does not change.
   *
   * @param owner who has recorded it
   * @param programs the program is the first one
   * @param config for the program alone; not to be changed
   */
  public record Recipe(
      String owner, Breadth type, List<Input> inputs, List<Program> programs, byte[] config) {
    /** Copies the lists. */
    public Recipe {
      inputs = List.of(inputs.toArray(NO_INPUTS));
      programs = List.copyOf(programs);
    }
  }

  /** A record of outputs as they are. */
  public Dependency(long id, Recipe recipe, List<Output> outputs, boolean nondeterministic) {
    this.id = id;
    this.recipe = recipe;
    this.nondeterministic = nondeterministic;
    int count = outputs.size();
    fids = new long[count];
    indexes = new int[count];
    lengths = new long[count];
    checksums = new int[count];
    states = new byte[count];
    for (int i = 0; i < count; i++) {
      fids[i] = outputs.get(i).fid();
      indexes[i] = outputs.get(i).index();
      set(i, outputs.get(i));
    }
    open = count((OutputState state) -> !state.isSettled());
    deleted = count((OutputState state) -> state == OutputState.DELETED);
  }

  /** Another one's successor, which shares what does not change. */
  private Dependency(Dependency before, int changed, Output output, boolean nondeterministic) {
    id = before.id;
    recipe = before.recipe;
    fids = before.fids;
    indexes = before.indexes;
    this.nondeterministic = nondeterministic;
    lengths = before.lengths.clone();
    checksums = before.checksums.clone();
    states = before.states.clone();
    OutputState was = before.state(changed);
    set(changed, output);
    OutputState is = output.state();
    open = before.open + (is.isSettled() ? 0 : 1) - (was.isSettled() ? 0 : 1);
    deleted =
        before.deleted + (is == OutputState.DELETED ? 1 : 0) - (was == OutputState.DELETED ? 1 : 0);
  }

  private interface Question {
    boolean of(OutputState state);
  }

  private int count(Question question) {
    int count = 0;
    for (int i = 0; i < states.length; i++) {
      count += question.of(state(i)) ? 1 : 0;
    }
    return count;
  }

  private void set(int at, Output output) {
    lengths[at] = output.length();
    checksums[at] = output.checksum().orElse(0);
    int flag = output.checksum().isPresent() ? HAS_CHECKSUM : 0;
    states[at] = (byte) (output.state().ordinal() | flag);
  }

  /** The same with another output at a place; the file stays the same one. */
  Dependency with(int at, Output output) {
    return new Dependency(this, at, output, nondeterministic);
  }

  /** The same, known not to give the same bytes again. */
  Dependency markedNondeterministic() {
    return new Dependency(this, 0, output(0), true);
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

  /** How many outputs it has; at least 1. */
  public int outputs() {
    return fids.length;
  }

  /** The file of an output. */
  public long fid(int at) {
    return fids[at];
  }

  /** Where the bytes of an output are. */
  public OutputState state(int at) {
    return OutputState.of(states[at] & ~HAS_CHECKSUM & 0xff);
  }

  /** An output as it is known. */
  public Output output(int at) {
    boolean hasChecksum = (states[at] & HAS_CHECKSUM) != 0;
    return new Output(
        fids[at],
        indexes[at],
        state(at),
        lengths[at],
        hasChecksum ? OptionalInt.of(checksums[at]) : OptionalInt.empty());
  }

  /** All of them, in their order. */
  public List<Output> allOutputs() {
    List<Output> all = new ArrayList<>(fids.length);
    for (int i = 0; i < fids.length; i++) {
      all.add(output(i));
    }
    return all;
  }

  /** Whether an output is neither below nor deleted. */
  boolean isOpen() {
    return open > 0;
  }

  /**
   * Whether its inputs may be needed: for an output that may be lost, or for one that was deleted
   * and may have to be made for what was made of it.
   */
  boolean needsInputs() {
    return open > 0 || deleted > 0;
  }

  /**
   * Writes
   *
   * <pre>
   *   id:8   flags:1, 1 nondeterministic   type:1   owner, as writeUTF
   *   inputs:4     { fid:8   of one that is outside, fid 0: uri, as writeUTF   length:8   modified:8 }
   *   programs:4   { name, as writeUTF   hash, as writeUTF }
   *   config:4     bytes
   *   outputs:4    { fid:8   index:4   state:1, | 80 with a checksum   length:8   checksum:4 }
   * </pre>
   */
  void write(DataOutputStream out) throws IOException {
    out.writeLong(id);
    out.writeByte(nondeterministic ? 1 : 0);
    out.writeByte(recipe.type().ordinal());
    out.writeUTF(recipe.owner());
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
    out.writeInt(fids.length);
    for (int i = 0; i < fids.length; i++) {
      out.writeLong(fids[i]);
      out.writeInt(indexes[i]);
      out.writeByte(states[i]);
      out.writeLong(lengths[i]);
      out.writeInt(checksums[i]);
    }
  }

  static Dependency read(DataInputStream in) throws IOException {
    long id = in.readLong();
    boolean nondeterministic = in.readUnsignedByte() != 0;
    int type = in.readUnsignedByte();
    String owner = in.readUTF().intern();
    if (type >= Breadth.values().length) {
      throw new IOException("snapshot is damaged: dependency=" + id + " type=" + type);
    }
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
    List<Output> outputs = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      outputs.add(readOutput(in, id));
    }
    Recipe recipe = new Recipe(owner, Breadth.values()[type], inputs, programs, config);
    return new Dependency(id, recipe, outputs, nondeterministic);
  }

  private static Output readOutput(DataInputStream in, long id) throws IOException {
    long fid = in.readLong();
    int index = in.readInt();
    int flags = in.readUnsignedByte();
    OutputState state = OutputState.of(flags & ~HAS_CHECKSUM);
    long length = in.readLong();
    int checksum = in.readInt();
    if (state == null) {
      throw new IOException("snapshot is damaged: dependency=" + id + " state=" + flags);
    }
    boolean hasChecksum = (flags & HAS_CHECKSUM) != 0;
    return new Output(
        fid, index, state, length, hasChecksum ? OptionalInt.of(checksum) : OptionalInt.empty());
  }
}
