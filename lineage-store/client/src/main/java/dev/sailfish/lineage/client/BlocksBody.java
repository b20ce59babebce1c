package dev.sailfish.lineage.client;

import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
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
import java.util.stream.Collectors;

/** A file in blocks at workers, one after the other. */
final class BlocksBody implements FileBody {
  /** Room that is asked for at the beginning of a block of which more may come. */
  static final long FIRST_ROOM = 16 << 20;

  private final BlockAccess access;
  private final FileEntry entry;
  private final FileGrant grant;
  private final List<WorkerAddress> workers;
  private final Sealed sealed;
  private final Map<Integer, Integer> kept;
  private final FileChecksum sum = new FileChecksum();
  private final List<Integer> places = new ArrayList<>();
  private BlockWriter block;
  private WorkerAddress worker;
  private long inBlock;
  private BlockAhead ahead;
  private WorkerAddress first;

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
   * @param workers that may take blocks, the best first
   */
  BlocksBody(
      BlockAccess access,
      FileEntry entry,
      FileGrant grant,
      List<WorkerAddress> workers,
      Sealed sealed) {
    this(access, entry, grant, workers, sealed, Map.of());
  }

  /**
   * @param kept by number, the places of blocks that are there already: they are not written
   */
  BlocksBody(
      BlockAccess access,
      FileEntry entry,
      FileGrant grant,
      List<WorkerAddress> workers,
      Sealed sealed,
      Map<Integer, Integer> kept) {
    this.kept = Map.copyOf(kept);
    this.access = access;
    this.entry = entry;
    this.grant = grant;
    this.workers = new ArrayList<>(workers);
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
        begin(Math.min(room, entry.getBlockSize()));
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
    List<IOException> reasons = new ArrayList<>();
    while (block == null) {
      if (workers.isEmpty()) {
        throw nowhere(reasons);
      }
      try {
        worker = workers.get(0);
        block = grant.with(() -> access.begin(worker, name(), entry.getBlockSize(), room, sum));
      } catch (IOException e) {
        boolean isFinal =
            e instanceof RemoteException refusal && refusal.status() == Status.UNAUTHENTICATED;
        if (isFinal) {
          throw e;
        }
        reasons.add(e);
        workers.remove(0);
      }
    }
    first = first == null ? worker : first;
  }

  private IOException nowhere(List<IOException> reasons) {
    IOException none =
        new IOException(
            "no worker takes a block of "
                + entry.getName()
                + ": do workers run, and have they room? "
                + reasons.stream().map(IOException::getMessage).collect(Collectors.joining("; ")));
    reasons.forEach(none::addSuppressed);
    return none;
  }

  /** The worker that was asked is the best one still, unless the master names another. */
  private void takeAhead() {
    if (ahead == null) {
      return;
    }
    BlockAhead asked = ahead;
    ahead = null;
    if (!workers.isEmpty() && workers.get(0).equals(asked.worker())) {
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
