package dev.sailfish.lineage.client;

import dev.sailfish.lineage.client.block.BlockAccess;
import dev.sailfish.lineage.client.block.BlockAhead;
import dev.sailfish.lineage.client.block.BlockWriter;
import dev.sailfish.lineage.protocol.FileChecksum;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** A file in blocks at workers, one after the other. */
final class BlocksBody implements FileBody {
  /** Room that is asked for at the beginning of a block of which more may come. */
  static final long FIRST_ROOM = 16 << 20;

  private static final long UNKNOWN = Long.MAX_VALUE;

  private final BlockAccess access;
  private final FileEntry entry;
  private final FileGrant grant;
  private final WritingWorkers workers;
  private final Sealed sealed;
  private final Map<Integer, Integer> kept;
  private final FileChecksum sum = new FileChecksum();
  private final List<Integer> places = new ArrayList<>();
  private BlockWriter block;
  private WorkerAddress worker;
  private long inBlock;
  private BlockAhead ahead;
  private WorkerAddress first;
  private long expected = UNKNOWN;

  /** Hears of each block that is complete. */
  @FunctionalInterface
  interface Sealed {
    /** Nobody has to hear it. */
    Sealed UNHEARD = (name, place, worker, length) -> {};

    /**
     * A block is complete.
     *
     * @param place where it is, as the worker says
     * @param length in bytes
     */
    void block(BlockName name, int place, WorkerAddress worker, long length) throws IOException;
  }

  /**
   * @param grant of the file
   * @param workers that take its blocks
   */
  BlocksBody(
      BlockAccess access, FileEntry entry, FileGrant grant, WritingWorkers workers, Sealed sealed) {
    this(access, entry, grant, workers, sealed, Map.of());
  }

  /**
   * @param kept by number, the places of blocks that are there already: they are not written
   */
  BlocksBody(
      BlockAccess access,
      FileEntry entry,
      FileGrant grant,
      WritingWorkers workers,
      Sealed sealed,
      Map<Integer, Integer> kept) {
    this.kept = Map.copyOf(kept);
    this.access = access;
    this.entry = entry;
    this.grant = grant;
    this.workers = workers;
    this.sealed = sealed;
  }

  /**
   * The first block was asked for already.
   *
   * @param asked belongs to this object; null: it was not
   */
  BlocksBody with(BlockAhead asked) {
    ahead = asked;
    return this;
  }

  /** How long the file will be at most: its blocks are to have room for no more. */
  BlocksBody expect(long length) {
    expected = length;
    return this;
  }

  /** Who has the first block; null if it is not begun. */
  WorkerAddress first() {
    return first;
  }

  /** A block is a multiple of a unit, as a buffer is: only the end of the file is shorter. */
  @Override
  public void write(ByteBuffer bytes, boolean isEnd) throws IOException {
    while (bytes.hasRemaining()) {
      if (block == null) {
        long room = isEnd ? bytes.remaining() : Math.max(FIRST_ROOM, bytes.remaining());
        begin(Math.min(room, capacity()));
      }
      int count = (int) Math.min(bytes.remaining(), entry.getBlockSize() - inBlock);
      block.write(bytes.slice(bytes.position(), count));
      bytes.position(bytes.position() + count);
      inBlock += count;
      if (inBlock == entry.getBlockSize()) {
        seal();
      }
    }
  }

  /** How long the next block may be. */
  private long capacity() {
    long size = entry.getBlockSize();
    return Math.min(expected - places.size() * size, size);
  }

  private BlockName name() {
    return grant.name(places.size());
  }

  /** At the best worker that takes it; one that does not is not asked again. */
  private void begin(long room) throws IOException {
    inBlock = 0;
    Integer there = kept.get(places.size());
    if (there != null) {
      block = new KeptBlock(there, sum);
      return;
    }
    takeAhead();
    if (block == null) {
      block = workers.first(at -> begin(at, room));
    }
    first = first == null ? worker : first;
  }

  private BlockWriter begin(WorkerAddress at, long room) throws IOException {
    worker = at;
    return grant.with(() -> access.begin(at, name(), capacity(), room, sum));
  }

  /** The worker that was asked is the best one still, unless the master names another. */
  private void takeAhead() {
    if (ahead == null) {
      return;
    }
    BlockAhead asked = ahead;
    ahead = null;
    if (asked.worker().equals(workers.best())) {
      worker = asked.worker();
      block = access.begin(asked, sum);
    } else {
      asked.close();
    }
  }

  private void seal() throws IOException {
    BlockName name = name();
    int place = block.seal();
    places.add(place);
    block.close();
    block = null;
    sealed.block(name, place, worker, inBlock);
  }

  @Override
  public List<Integer> end() throws IOException {
    if (block != null) {
      seal();
    }
    return places;
  }

  @Override
  public OptionalInt checksum() {
    return OptionalInt.of(sum.value());
  }

  @Override
  public void close() {
    if (block != null) {
      block.close();
      block = null;
    }
    if (ahead != null) {
      ahead.close();
      ahead = null;
    }
  }
}
