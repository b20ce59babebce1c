package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.master.table.InodeTable;
import dev.sailfish.lineage.master.table.InodeTable.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Workers as those who hold blocks: which of them are to be empty, and who has what. */
public final class Holders {
  private final InodeTable inodes;
  private final Principals principals;
  private final Blocks blocks;
  private final MountedTree mounted;
  private final Writers writers;

  Holders(
      InodeTable inodes,
      Principals principals,
      Blocks blocks,
      MountedTree mounted,
      Writers writers) {
    this.inodes = inodes;
    this.principals = principals;
    this.blocks = blocks;
    this.mounted = mounted;
    this.writers = writers;
  }

  /** Whose a file is; null if none of this id is there. */
  public String owner(long fid) {
    int slot = inodes.find(fid);
    return slot == InodeTable.NONE ? null : principals.name(inodes.owner(slot));
  }

  /**
   * A worker takes no new blocks from now on.
   *
   * @param returns whether it will be back with what it has; if not, that is to be elsewhere, too
   */
  public void drain(int worker, boolean returns) {
    blocks.workers().drain(worker, returns);
  }

  /** Whether a worker that takes no new blocks will be back with what it has. */
  public boolean isReturning(int worker) {
    return blocks.workers().isReturning(worker);
  }

  /** Whether a worker takes no new blocks. */
  public boolean isDraining(int worker) {
    return blocks.workers().isDraining(worker);
  }

  /** Whether a worker that lives has a block of a file that is there. */
  public boolean has(int worker, long fid, int block) {
    int slot = inodes.find(fid);
    return slot != InodeTable.NONE && blocks.isWith(slot, block, worker);
  }

  /**
   * A worker has a block of a complete file no more, if another one has it that lives and is to
   * stay. So each holder of a block may ask for this at any time, and the last one keeps it.
   *
   * @return whether that is so
   */
  public boolean drop(int worker, long fid, int block) {
    int slot = inodes.find(fid);
    boolean isSpare =
        slot != InodeTable.NONE
            && inodes.kind(slot) == Kind.COMPLETE
            && blocks.of(slot, block, 1).stream().anyMatch(copies -> isElsewhere(copies, worker));
    if (isSpare) {
      blocks.remove(slot, block, worker);
    }
    return isSpare;
  }

  /** Blocks of a complete file that a worker has, and another one, too, that is to stay. */
  public List<Integer> spares(int worker, long fid) {
    int slot = inodes.find(fid);
    if (slot == InodeTable.NONE || inodes.kind(slot) != Kind.COMPLETE) {
      return List.of();
    }
    return blocks.of(slot, 0, Integer.MAX_VALUE).stream()
        .filter(copies -> copies.isWith(worker) && isElsewhere(copies, worker))
        .map(BlockCopies::block)
        .toList();
  }

  private boolean isElsewhere(BlockCopies copies, int beside) {
    return Arrays.stream(copies.places())
        .map(Place::worker)
        .anyMatch(worker -> worker != beside && !isDraining(worker));
  }

  /** Which files are being written; a copy. */
  public List<Long> writing() {
    return writers.slots().stream().map(inodes::fid).toList();
  }

  /** Whether a file of this id is being written. */
  public boolean isWriting(long fid) {
    int slot = inodes.find(fid);
    return slot != InodeTable.NONE && inodes.kind(slot) == Kind.WRITING;
  }

  /**
   * Gives the complete files in some slots of the table that have bytes, those too that were
   * deleted and are not free yet.
   *
   * @param from the first slot
   * @param limit how many slots, at most
   * @return the slot to go on with; 0: that was the last one
   */
  public int scan(int from, int limit, Consumer<HeldFile> files) {
    int end = (int) Math.min(inodes.slots(), (long) from + limit);
    for (int slot = from; slot < end; slot++) {
      if (inodes.kind(slot) == Kind.COMPLETE && inodes.length(slot) > 0) {
        files.accept(held(slot));
      }
    }
    return end == inodes.slots() ? 0 : end;
  }

  /** Where the blocks of a file are; empty if it is not there or not complete. */
  public Optional<HeldFile> held(long fid) {
    int slot = inodes.find(fid);
    boolean isComplete = slot != InodeTable.NONE && inodes.kind(slot) == Kind.COMPLETE;
    return isComplete ? Optional.of(held(slot)) : Optional.empty();
  }

  private HeldFile held(int slot) {
    long length = inodes.length(slot);
    long blockSize = 1L << inodes.blockSizeLog(slot);
    int count = (int) ((length + blockSize - 1) / blockSize);
    return new HeldFile(
        inodes.fid(slot),
        length,
        blockSize,
        count,
        blocks.of(slot, 0, Integer.MAX_VALUE),
        mounted.isBelow(slot));
  }
}
