package dev.sailfish.chunkserver.chunk;

import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ChunkReport;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One chunk and its life ({@link ChunkState}).
 *
 * <pre>
 *   OPEN, taking      reserve ▶ complete | abandon, by any number of appenders
 *     │ a block does not fit, its tier is full, all maps have committed, or a reader waits
 *   OPEN, closed      no new reservations; those that are there end
 *     │ the last one has ended
 *   STABLE            {@link SortScheduler#schedule}: its sort is queued
 *     │ beginSort ▶ endSort
 *   SORTED            {@link #read}; a chunk that outlived its process begins STABLE or here
 *
 *   any but LOST ──lose──▶ LOST       any ──delete──▶ gone
 * </pre>
 *
 * <p>Bytes below {@code position} are reserved; each reservation ends as a block or as a void
 * block, so that the blocks stand back to back once the chunk is STABLE. The memory belongs to the
 * segment, which everyone who touches it retains; deleting the chunk never waits for them.
 *
 * <p>Thread-safe: all state is guarded by the monitor, which is held for growing the segment (a
 * page touch) but never for copying, sorting, or a callee of {@link ChunkWaiter}. The writes of an
 * appender happen before the sorter reads them through {@link #complete} and {@link #beginSort}.
 */
public final class Chunk {
  /**
   * What the chunksorter gets.
   *
   * @param segment with a reference for it
   * @param length bytes of chunk header and blocks
   */
  public record Unsorted(Segment segment, int length) {}

  private static final Logger LOG = LoggerFactory.getLogger(Chunk.class);

  private final ChunkSpec spec;
  private final JobChunks job;
  private final ChunkContext context;

  private final HeldBlocks held;
  private final ReservedBlocks reserved = new ReservedBlocks();
  private final Set<ChunkWaiter> waiters = new LinkedHashSet<>();
  private ChunkState state = ChunkState.OPEN;
  private Segment segment;
  // Of a SORTED chunk whose file holds others, too; else null.
  private SharedFile shared;
  private int position = ChunkHeader.LENGTH;
  private int arriving;
  private long sortedLength;
  private long sortCpuNs;
  private long lastReadEnd;
  private boolean closed;
  private volatile boolean deleted;
  private volatile boolean awaited;
  private String trouble = "";

  private Chunk(ChunkSpec spec, JobChunks job, ChunkContext context, HeldBlocks held) {
    this.spec = spec;
    this.job = job;
    this.context = context;
    this.held = held;
  }

  /** An OPEN chunk without a segment. */
  public Chunk(ChunkSpec spec, JobChunks job, ChunkContext context) {
    this(spec, job, context, new HeldBlocks());
  }

  /** A chunk that was made before; its sort is scheduled when it is STABLE. */
  static Chunk recovered(RecoveredChunk found, JobChunks job, ChunkContext context) {
    Chunk chunk = new Chunk(found.spec(), job, context, found.held());
    synchronized (chunk) {
      chunk.closed = true;
      chunk.segment = found.segment();
      chunk.shared = found.shared();
      chunk.position = found.end();
      context.heldHeap().add(found.held().entries());
      if (found.state() == ChunkState.SORTED) {
        chunk.state = ChunkState.SORTED;
        chunk.sortedLength = found.segment().length();
      } else {
        chunk.becomeStable("its process ended");
      }
    }
    return chunk;
  }

  public ChunkSpec spec() {
    return spec;
  }

  JobChunks job() {
    return job;
  }

  public synchronized ChunkState state() {
    return state;
  }

  // ---- appending

  /**
   * Takes room for a block.
   *
   * @return null when the chunk holds the block already
   * @throws RequestRefusedException CHUNK_FULL when it takes no more, NO_SPACE when no tier can
   *     hold its first block or the heap what is kept of it, JOB_UNKNOWN when it was deleted,
   *     CHUNK_LOST
   */
  public synchronized Reservation reserve(BlockHeader block) throws RequestRefusedException {
    requireHeld();
    if (held.contains(block)) {
      return null;
    }
    if (closed) {
      throw full("takes no more blocks: state=" + state);
    }
    context.heldHeap().requireRoom();
    long end = (long) position + block.blockLength();
    long raw = reserved.rawBytes() + block.rawLength();
    long needed = reserved.neededWith(block, spec, end);
    if (position == ChunkHeader.LENGTH) {
      openFor(needed);
    } else if (raw > spec.chunkBytes() || needed > segment.capacity() || reserved.isFull()) {
      context.metrics().increment(ChunkserverMetric.FULL_CHUNKS);
      context.metrics().add(ChunkserverMetric.FULL_CHUNK_RAW_BYTES, reserved.rawBytes());
      job.chunkEnded(spec, needed, reserved.isFull() ? spec.chunkBytes() : raw);
      close("full");
      throw full(
          "has no room for a block: raw bytes=%s block=%s capacity=%s"
              .formatted(reserved.rawBytes(), block.rawLength(), spec.chunkBytes()));
    } else if (!segment.ensure(needed)) {
      job.chunkEnded(spec, needed, raw);
      close("tier " + segment.tier() + " is full");
      throw full("cannot grow, its tier is full: tier=" + segment.tier());
    }
    Reservation reservation = new Reservation(block, segment, position);
    position = (int) end;
    arriving++;
    reserved.add(block);
    return reservation;
  }

  private RequestRefusedException full(String why) {
    return new RequestRefusedException(Status.CHUNK_FULL, spec.label() + " " + why);
  }

  /** Gives an empty chunk a segment with {@code needed} bytes, in memory or else on disk. */
  private void openFor(long needed) throws RequestRefusedException {
    if (segment != null && needed <= segment.capacity() && segment.ensure(needed)) {
      return;
    }
    dropSegment();
    if (needed > Segment.MAX_CAPACITY) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, spec.label() + " block does not fit in a segment: needed=" + needed);
    }
    try {
      segment = context.allocate(spec, job.expectedChunkBytes(), needed);
    } catch (NoSpaceException e) {
      throw new RequestRefusedException(Status.NO_SPACE, e.getMessage());
    }
    spec.header().write(segment.buffer());
    LOG.debug("{} opened tier={}", spec.label(), segment.tier());
    context.metrics().increment(ChunkserverMetric.SEEKS);
    context.changed().accept(this);
  }

  private void dropSegment() {
    if (segment != null) {
      deleteUnlessShared(segment, shared);
      segment = null;
    }
  }

  private void deleteUnlessShared(Segment file, SharedFile sharers) {
    if (sharers == null || sharers.leave(spec.id())) {
      file.delete();
      context.sorts().retry();
    }
  }

  /**
   * The block of a reservation has arrived whole and intact: from now on the chunk holds it.
   *
   * @return false when another copy of the block has arrived meanwhile, and this one is void
   * @throws RequestRefusedException when the chunk was deleted or lost meanwhile
   */
  public boolean complete(Reservation reservation) throws RequestRefusedException {
    synchronized (this) {
      if (deleted || state == ChunkState.LOST || !held.contains(reservation.block())) {
        endArrival(reservation);
        requireHeld();
        int before = held.entries();
        held.add(reservation.block());
        context.heldHeap().add(held.entries() - before);
        closeWhenQuiet();
        return true;
      }
    }
    abandon(reservation);
    return false;
  }

  /**
   * While the block of a reservation arrives.
   *
   * @throws RequestRefusedException when the chunk was deleted: its memory is given back once the
   *     reservation is abandoned
   */
  public void requireNotDeleted() throws RequestRefusedException {
    if (deleted) {
      throw gone();
    }
  }

  /** The block of a reservation will not arrive: its room is given back, or filled with a void. */
  public void abandon(Reservation reservation) {
    synchronized (this) {
      if (reservation.end() == position || deleted) {
        position = reservation.offset();
        reserved.remove(reservation.block());
        endArrival(reservation);
        closeWhenQuiet();
        return;
      }
    }
    reservation.fillWithVoid();
    synchronized (this) {
      endArrival(reservation);
      closeWhenQuiet();
    }
  }

  /** Takes no more blocks, and is sorted when it has any. */
  public synchronized void stopAppends(String reason) {
    if (segment == null) {
      closed = true;
    } else {
      close(reason);
    }
  }

  private void endArrival(Reservation reservation) {
    arriving--;
    reservation.release();
  }

  /** Under the monitor: takes no more reservations. */
  private void close(String reason) {
    if (!closed) {
      closed = true;
      LOG.debug("{} closed reason='{}' arriving={}", spec.label(), reason, arriving);
      closeWhenQuiet();
    }
  }

  private void closeWhenQuiet() {
    if (closed && arriving == 0 && state == ChunkState.OPEN && !deleted) {
      if (segment != null) {
        segment.unclaim();
      }
      becomeStable("closed, and all blocks have arrived");
    }
  }

  private void becomeStable(String reason) {
    transition(ChunkState.STABLE, reason);
    context.sorts().schedule(this);
  }

  // ---- sorting

  /** What is to be sorted by this thread, or null when there is nothing left to do. */
  public synchronized Unsorted beginSort() {
    if (deleted || state != ChunkState.STABLE) {
      return null;
    }
    segment.retain();
    sortCpuNs = -context.threadCpuNs().getAsLong();
    return new Unsorted(segment, position);
  }

  /**
   * Makes room for the chunk, sorted in place.
   *
   * @param length of the sorted chunk, in bytes
   * @return whether its segment has as many now; false also when the chunk is not to be sorted any
   *     more
   */
  public synchronized boolean growForSort(long length) {
    return !deleted
        && state == ChunkState.STABLE
        && length <= segment.capacity()
        && segment.ensure(length);
  }

  /**
   * The sort waits for room or a key; told to readers whose deadline passes.
   *
   * @return whether it was not delayed before
   */
  public synchronized boolean delaySort(String why) {
    boolean first = trouble.isEmpty();
    trouble = why;
    return first;
  }

  /**
   * The chunk was sorted, by the thread that began.
   *
   * @param output the segment that holds it now; the one it was sorted from when it was sorted or
   *     indexed in place. Belongs to the chunk from here on.
   * @param sharers the chunks that were sorted into the same file, this one included; null: there
   *     is no other
   * @return false when the chunk was deleted meanwhile and the output with it
   */
  public boolean endSort(Segment output, SortResult result, SharedFile sharers) {
    List<ChunkWaiter> told;
    synchronized (this) {
      if (deleted || state != ChunkState.STABLE) {
        if (output != segment) {
          deleteUnlessShared(output, sharers);
        }
        return false;
      }
      if (!output.isSealed()) {
        output.seal(result.length());
      }
      if (output != segment) {
        dropSegment();
        segment = output;
        shared = sharers;
      }
      sortCpuNs += context.threadCpuNs().getAsLong();
      sortedLength = result.length();
      position = result.tailOffset();
      transition(ChunkState.SORTED, "records=" + result.records() + " runs=" + result.runs());
      told = takeWaiters();
    }
    told.forEach(this::answer);
    return true;
  }

  private void answer(ChunkWaiter waiter) {
    SortedFile bytes;
    try {
      bytes = read();
    } catch (RequestRefusedException e) {
      waiter.refused(e.status(), e.getMessage());
      return;
    }
    waiter.sorted(bytes);
  }

  // ---- reading

  /** Whether a reader waits for it, or has waited. */
  public boolean isAwaited() {
    return awaited;
  }

  /**
   * Answers when the chunk is sorted; closes it when it is OPEN.
   *
   * @throws RequestRefusedException when there is nothing to wait for
   */
  public void await(ChunkWaiter waiter) throws RequestRefusedException {
    synchronized (this) {
      requireHeld();
      if (segment == null) {
        throw new RequestRefusedException(
            Status.CHUNK_UNKNOWN, spec.label() + " never got a block here");
      }
      if (state != ChunkState.SORTED) {
        waiters.add(waiter);
        awaited = true;
        close("a reader waits");
        context.sorts().await(this);
        return;
      }
    }
    answer(waiter);
  }

  /** A waiter has waited long enough; it is told, unless it was answered before. */
  public void expire(ChunkWaiter waiter) {
    String message;
    SortPlace place;
    synchronized (this) {
      if (!waiters.remove(waiter)) {
        return;
      }
      place = context.sorts().placeOf(this);
      String why = place != null || trouble.isEmpty() ? "" : "; " + trouble;
      message =
          "%s is not sorted yet: state=%s arriving=%s%s"
              .formatted(spec.label(), state, arriving, why);
    }
    waiter.notSorted(message, place == null, place);
  }

  /**
   * The bytes of a SORTED chunk, with a reference for the caller.
   *
   * @throws RequestRefusedException when it is not SORTED
   */
  public synchronized SortedFile read() throws RequestRefusedException {
    requireHeld();
    if (state != ChunkState.SORTED) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, spec.label() + " cannot be read yet, await it: state=" + state);
    }
    segment.retain();
    long first = shared == null ? spec.id() : shared.first();
    return new SortedFile(segment, sortedLength, position, first);
  }

  /**
   * Notes that {@code count} bytes from {@code offset} are read.
   *
   * @return whether they do not follow those that were read last
   */
  public synchronized boolean seeksTo(long offset, long count) {
    boolean seeks = offset != lastReadEnd;
    lastReadEnd = offset + count;
    return seeks;
  }

  private void requireHeld() throws RequestRefusedException {
    if (deleted) {
      throw gone();
    }
    if (state == ChunkState.LOST) {
      throw new RequestRefusedException(Status.CHUNK_LOST, spec.label() + " is lost: " + trouble);
    }
  }

  private synchronized RequestRefusedException gone() {
    // Who found it while it was empty shall look for it again.
    Status status = position == ChunkHeader.LENGTH ? Status.BUSY : Status.CHUNK_UNKNOWN;
    return new RequestRefusedException(
        job.deleted() ? Status.JOB_UNKNOWN : status,
        spec.label() + (job.deleted() ? " is deleted: the job has ended" : " is deleted"));
  }

  // ---- ends

  /** The bytes are damaged, or could not be sorted: gives them back and tells who waits. */
  public void lose(String reason) {
    List<ChunkWaiter> told;
    synchronized (this) {
      if (deleted || state == ChunkState.LOST) {
        return;
      }
      closed = true;
      trouble = reason;
      transition(ChunkState.LOST, reason);
      dropSegment();
      told = takeWaiters();
    }
    told.forEach(this::answer);
  }

  /** Gives the memory back, as soon as nobody uses it; what is asked later is refused. */
  public void delete() {
    List<ChunkWaiter> told;
    synchronized (this) {
      if (deleted) {
        return;
      }
      deleted = true;
      closed = true;
      context.heldHeap().add(-held.entries());
      dropSegment();
      told = takeWaiters();
    }
    LOG.debug("{} deleted state={}", spec.label(), state());
    told.forEach(this::answer);
  }

  /**
   * Deletes the chunk if it was never given a block. Nobody waits for it then, and the metaserver
   * has not heard of it.
   *
   * @return whether it is deleted now
   */
  synchronized boolean deleteIfEmpty() {
    if (segment == null && state == ChunkState.OPEN) {
      deleted = true;
      closed = true;
    }
    return deleted;
  }

  private List<ChunkWaiter> takeWaiters() {
    List<ChunkWaiter> taken = List.copyOf(waiters);
    waiters.clear();
    return taken;
  }

  /** The only place where the state changes. */
  private void transition(ChunkState next, String reason) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(
          "illegal transition: " + spec.label() + " " + state + " -> " + next + ": " + reason);
    }
    if (next == ChunkState.LOST) {
      LOG.error("{} {} -> {} reason='{}'", spec.label(), state, next, reason);
    } else {
      LOG.info(
          "{} {} -> {} raw bytes={} reason='{}'",
          spec.label(),
          state,
          next,
          held.rawBytes(),
          reason);
    }
    state = next;
    context.changed().accept(this);
  }

  // ---- reporting

  /** How many blocks have arrived. */
  public synchronized int blocks() {
    return held.blocks();
  }

  /** Its bytes before compression, of the blocks that have arrived. */
  public synchronized long rawBytes() {
    return held.rawBytes();
  }

  /**
   * Bytes of its file as it is now, those still arriving included; of a file that it shares with
   * others, its part.
   */
  public synchronized long storedBytes() {
    if (state != ChunkState.SORTED) {
      return position;
    }
    return shared == null ? sortedLength : shared.shareOf(sortedLength, held.rawBytes());
  }

  /** The metaserver asks for it: it was not known before whether it has it here. */
  synchronized void want() {
    if (shared != null && !deleted) {
      shared.want(spec.id());
    }
  }

  /** Where its bytes are, or null when it has none. */
  public synchronized Tier tier() {
    return segment == null ? null : segment.tier();
  }

  /** Whether it was ever given a block, and is not deleted. */
  public synchronized boolean isReportable() {
    return !deleted && (segment != null || state == ChunkState.LOST);
  }

  /** How the metaserver and people see it. */
  public synchronized ChunkReport report() {
    long sortUs = state == ChunkState.SORTED ? sortCpuNs / 1000 : 0;
    return ChunkReport.newBuilder()
        .setChunk(spec.id())
        .setJob(spec.job())
        .setPartition(spec.partition())
        .setState(state.code())
        .setRawBytes(held.rawBytes())
        .setStoredBytes(storedBytes())
        .setRecords(held.records())
        .setSortCpuUs(shared == null ? sortUs : shared.shareOf(sortUs, held.rawBytes()))
        .build();
  }
}
