package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.NoSpaceException;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.DamagedBlockException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All blocks of a worker. A block is a segment of the block store: open while it is written, sealed
 * from then on; what is in it says {@link BlockTail}. Nothing here waits. Thread-safe.
 */
public final class BlockTable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockTable.class);

  /** A writer on this host that asks for less room at first has no more bytes than these. */
  private static final long FIRST_ROOM = 16 << 20;

  private final Owner segments;
  private final Changes changes;
  private final Map<BlockId, OpenBlock> open = new ConcurrentHashMap<>();

  private final AtomicLong damaged = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  /** Files that are below, too, as far as is known here; only those of which blocks are here. */
  private final Set<Long> below = ConcurrentHashMap.newKeySet();

  private volatile boolean draining;

  /** Files of which a block was sealed, and for which the master was not asked since. */
  private final Queue<Long> sealedFiles = new ConcurrentLinkedQueue<>();

  /** Files of which a block was begun or sealed since the master was asked what it needs. */
  private final Map<Long, Boolean> renewed = new ConcurrentHashMap<>();

  /** Sealed blocks. */
  private final ConcurrentSkipListSet<BlockId> sealed = new ConcurrentSkipListSet<>();

  /**
   * Takes what an earlier process has left; blocks that it had not sealed go.
   *
   * @param changes hears what becomes of sealed blocks
   */
  public BlockTable(Owner segments, Changes changes) {
    this.segments = segments;
    this.changes = changes;
    int unsealed = 0;
    for (String name : segments.names()) {
      Segment segment = segments.find(name).orElseThrow();
      BlockId id = BlockId.ofSegment(name).orElse(null);
      if (id != null && segment.isSealed()) {
        sealed.add(id);
      } else {
        segment.damage().ifPresent(damage -> LOG.error("a block is lost: {}", damage.getMessage()));
        segment.delete();
        unsealed++;
      }
    }
    LOG.info("blocks={} dropped={}", sealed.size(), unsealed);
  }

  // ---- writing

  /**
   * Begins a block, which takes the place of one that was begun and not sealed.
   *
   * @param capacity how many bytes it can have, at least 1
   * @param room for how many there must be room; over the network always for all
   * @param local whether its writer writes the file itself
   * @return the file for such a writer
   * @throws NoSpaceException when no tier has room
   * @throws RequestRefusedException CONFLICT when it is sealed already
   */
  public Path begin(BlockId id, long capacity, long room, boolean local)
      throws NoSpaceException, RequestRefusedException {
    requireNew(id);
    long fileCapacity = BlockTail.fileLength(capacity);
    Segment segment;
    if (local) {
      segment = lent(id, fileCapacity, room);
      if (id.block() > 0) {
        segment.makeReady(); // of a long file: more comes than what is claimed
      }
    } else {
      segment = claimed(id, fileCapacity, List.of(Tier.values()));
    }
    open.put(id, new OpenBlock(id, segment, capacity, local));
    return local ? segment.path() : null;
  }

  /**
   * Begins a block as {@link #begin} does, in memory or not at all.
   *
   * @param length of the block, at least 1
   */
  void beginInMemory(BlockId id, long length) throws NoSpaceException, RequestRefusedException {
    requireNew(id);
    Segment segment = claimed(id, BlockTail.fileLength(length), List.of(Tier.MEMORY));
    open.put(id, new OpenBlock(id, segment, length, false));
  }

  private void requireNew(BlockId id) throws RequestRefusedException {
    renewed.put(id.fid(), true);
    if (draining) {
      throw new RequestRefusedException(
          Status.DRAINING, "the worker is being drained and takes no new blocks: " + id);
    }
    if (sealed.contains(id)) {
      throw new RequestRefusedException(
          Status.CONFLICT, id + " is complete on this worker and cannot be written again");
    }
    abandon(id);
  }

  /**
   * Blocks that are lent get room as they grow, and do not move before they are sealed. Where all
   * of them would not fit into memory with this one, each might wait for the others: it has room
   * for all of it then, further down if need be, as long as there is so much.
   */
  private Segment lent(BlockId id, long fileCapacity, long room) throws NoSpaceException {
    long claimed = Math.min(fileCapacity, BlockTail.fileLength(room));
    boolean mayGrow = claimed < fileCapacity && room >= FIRST_ROOM;
    if (mayGrow && isCrowded(fileCapacity)) {
      try {
        return segments.lend(id.segment(), fileCapacity, fileCapacity, Tier.MEMORY);
      } catch (NoSpaceException e) {
        LOG.debug("{} begins with what there is: {}", id, e.getMessage());
      }
    }
    return segments.lend(id.segment(), fileCapacity, Math.max(1, claimed), Tier.MEMORY);
  }

  private boolean isCrowded(long more) {
    long lent =
        open.values().stream()
            .filter(block -> block.isLocal() && block.segment().tier() == Tier.MEMORY)
            .mapToLong(block -> block.segment().capacity())
            .sum();
    return lent > 0 && lent + more > segments.usage().capacityBytes(Tier.MEMORY);
  }

  /** Room for all of it, so that no later piece finds none. */
  private Segment claimed(BlockId id, long fileCapacity, List<Tier> tiers) throws NoSpaceException {
    for (Tier tier : tiers) {
      Segment segment = segments.allocate(id.segment(), fileCapacity, 0, tier);
      if (tiers.contains(segment.tier()) && segment.claim(fileCapacity)) {
        return segment;
      }
      segment.delete();
    }
    throw new NoSpaceException(tiers + " have no room for bytes=" + fileCapacity + " of " + id);
  }

  /**
   * Makes room for a writer that writes the file itself.
   *
   * @param room for how many bytes of the block
   * @return whether there is room; if not, nothing has changed
   * @throws RequestRefusedException when it is not being written, or cannot be so long; NO_SPACE
   *     when there can never be so much room
   */
  public boolean claim(BlockId id, long room) throws RequestRefusedException {
    OpenBlock block = requireOpen(id, true);
    if (room > block.capacity()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          id + " cannot have room for " + room + " bytes, it has at most " + block.capacity());
    }
    long fileLength = BlockTail.fileLength(room);
    Tier tier = block.segment().tier();
    long most = segments.usage().capacityBytes(tier);
    if (fileLength > most) {
      throw new RequestRefusedException(
          Status.NO_SPACE,
          "%s cannot have room for %d bytes, tier=%s has %d".formatted(id, room, tier, most));
    }
    return block.segment().claim(fileLength);
  }

  /**
   * A block that is written over the network.
   *
   * @throws RequestRefusedException when it is not
   */
  public OpenBlock requireOpen(BlockId id) throws RequestRefusedException {
    return requireOpen(id, false);
  }

  private OpenBlock requireOpen(BlockId id, boolean local) throws RequestRefusedException {
    OpenBlock block = open.get(id);
    if (block == null || block.isLocal() != local) {
      throw new RequestRefusedException(
          Status.NOT_HELD,
          id + (block == null ? " is not being written here" : " is not written in that way"));
    }
    return block;
  }

  /**
   * Ends a block. A repetition does no harm.
   *
   * @param length of the block, in bytes
   * @return the tier that it is in
   * @throws RequestRefusedException when it is not being written, or is not so long
   * @throws IOException when what its writer wrote is not a block
   */
  public Tier seal(BlockId id, long length) throws IOException {
    if (sealed.contains(id)) {
      return sealedBefore(id, length);
    }
    OpenBlock block = open.get(id);
    if (block == null) {
      throw new RequestRefusedException(
          Status.NOT_HELD, id + " is not being written here: write it again");
    }
    try {
      if (seal(block, length)) {
        renewed.put(id.fid(), true);
        sealed.add(id);
        sealedFiles.add(id.fid());
        open.remove(id, block);
      }
    } catch (IllegalStateException e) {
      if (open.get(id) == block) {
        throw e;
      }
      throw new RequestRefusedException(
          Status.NOT_HELD, id + " was given up meanwhile: write it again");
    }
    return block.segment().tier();
  }

  /** Returns false if it is sealed already: that was asked for twice at a time. */
  private static boolean seal(OpenBlock block, long length) throws IOException {
    synchronized (block) {
      if (block.segment().isSealed()) {
        return false;
      }
      if (block.isLocal()) {
        takeBack(block, length);
      } else {
        append(block, length);
      }
      block.segment().seal(BlockTail.fileLength(length));
      return true;
    }
  }

  private Tier sealedBefore(BlockId id, long length) throws IOException {
    Segment segment = acquire(id);
    try {
      if (segment.length() != BlockTail.fileLength(length)) {
        throw new RequestRefusedException(
            Status.CONFLICT,
            "%s has %d bytes, not %d"
                .formatted(id, BlockTail.blockLength(segment.length()), length));
      }
      return segment.tier();
    } finally {
      segment.release();
    }
  }

  private static void takeBack(OpenBlock block, long length) throws IOException {
    BlockId id = block.id();
    if (length < 0 || length > block.capacity()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          id + " cannot have " + length + " bytes, at most " + block.capacity());
    }
    long fileLength = BlockTail.fileLength(length);
    byte[] tail;
    try {
      tail = block.segment().takeBack(fileLength, BlockTail.length(length));
    } catch (IllegalArgumentException e) {
      throw new RequestRefusedException(Status.BAD_REQUEST, id + ": " + e.getMessage());
    }
    BlockTail.decode(ByteBuffer.wrap(tail), fileLength, id.fid(), id.block());
  }

  private static void append(OpenBlock block, long length) throws RequestRefusedException {
    ByteBuffer tail = block.tail(length);
    Segment segment = block.segment();
    if (tail == null) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, block.id() + " does not have " + length + " bytes");
    }
    if (!segment.ensure(length + tail.remaining())) {
      throw new RequestRefusedException(
          Status.NO_SPACE, block.id() + " finds the file system full below what may be used");
    }
    segment.buffer().position((int) length).put(tail);
  }

  /** Gives up a block that is not sealed; nothing if there is none. */
  public void abandon(BlockId id) {
    OpenBlock block = open.remove(id);
    if (block != null) {
      block.segment().delete();
    }
  }

  // ---- reading

  /**
   * A sealed block's segment; its caller owes a release.
   *
   * @throws RequestRefusedException NOT_HELD when it is not here
   */
  public Segment acquire(BlockId id) throws RequestRefusedException {
    Segment segment = sealed.contains(id) ? segments.acquire(id.segment()) : null;
    if (segment == null) {
      throw new RequestRefusedException(
          Status.NOT_HELD, id + " is not on this worker: ask the master where it is");
    }
    return segment;
  }

  /** Reads the tail of a block's file. */
  public static BlockTail readTail(BlockId id, FileChannel file, long fileLength)
      throws IOException {
    long length = BlockTail.blockLength(fileLength);
    ByteBuffer tail = ByteBuffer.allocate(length < 0 ? 0 : BlockTail.length(length));
    read(file, tail, Math.max(0, length));
    return BlockTail.decode(tail.flip(), fileLength, id.fid(), id.block());
  }

  /** Fills a buffer from a place in a file. */
  public static void read(FileChannel file, ByteBuffer into, long offset) throws IOException {
    long at = offset;
    while (into.hasRemaining()) {
      int count = file.read(into, at);
      if (count < 0) {
        throw new EOFException("the file ends before " + (at + into.remaining()));
      }
      at += count;
    }
  }

  // ---- the end of blocks

  /** To be called before the master is asked what it needs: its answer is of what is here now. */
  public void asked() {
    renewed.clear();
  }

  /**
   * Nobody needs a file: deletes all its blocks, written or being written. Nothing if one of them
   * was begun or sealed since {@link #asked}: it may be what is needed now, and the next answer
   * says so.
   */
  public void deleteUnneeded(long fid) {
    unlessRenewed(fid, () -> deleteFile(fid));
  }

  /** The same for one sealed block. */
  public void deleteUnneeded(BlockId id) {
    unlessRenewed(id.fid(), () -> delete(id));
  }

  /** Nothing of the file is begun or sealed meanwhile. */
  private void unlessRenewed(long fid, Runnable deletion) {
    renewed.computeIfAbsent(
        fid,
        unchanged -> {
          deletion.run();
          return null;
        });
  }

  private void deleteFile(long fid) {
    of(fid).forEach(this::delete);
    for (BlockId id : List.copyOf(open.keySet())) {
      if (id.fid() == fid) {
        abandon(id);
      }
    }
  }

  /** Deletes a sealed block, because nobody needs it. */
  public void delete(BlockId id) {
    if (sealed.remove(id)) {
      segments.find(id.segment()).ifPresent(Segment::delete);
      forgetUnlessHere(id.fid());
    }
  }

  private void forgetUnlessHere(long fid) {
    BlockId next = sealed.ceiling(new BlockId(fid, 0));
    if (next == null || next.fid() != fid) {
      below.remove(fid);
    }
  }

  // ---- files that are below, too

  /** Seals a block that was loaded from below, and has the master hear that it is here. */
  public Tier sealLoaded(BlockId id, long length) throws IOException {
    Tier tier = seal(id, length);
    changes.held(id, tier);
    knowBelow(id.fid());
    return tier;
  }

  /** All bytes of the file are below: its blocks may go when room is short. */
  public void knowBelow(long fid) {
    below.add(fid);
    forgetUnlessHere(fid);
  }

  /** Whether that is known here. */
  public boolean isBelow(long fid) {
    return below.contains(fid);
  }

  /** Lets all blocks of a file go that is below; the master hears it. */
  public void free(long fid) {
    for (BlockId id : sealed.tailSet(new BlockId(fid, 0))) {
      if (id.fid() != fid) {
        break;
      }
      delete(id);
      changes.gone(id);
    }
  }

  /** A block is in another tier now; the master hears it. */
  void moved(BlockId id, Tier tier) {
    changes.held(id, tier);
  }

  /** A block was deleted for room; the master hears it. */
  void dropped(BlockId id) {
    sealed.remove(id);
    changes.gone(id);
    forgetUnlessHere(id.fid());
    dropped.incrementAndGet();
  }

  /** How many blocks were deleted for room. */
  public long dropped() {
    return dropped.get();
  }

  /** Deletes a sealed block because another worker has it; the master hears it. */
  public void giveAway(BlockId id) {
    changes.gone(id); // first: it may come again as soon as it is deleted, and that counts then
    delete(id);
  }

  /**
   * Looks whether a block is still what was written; if not, it goes, and the master hears it.
   *
   * @return whether it is damaged; false if it is not here
   * @throws IOException when it cannot be read, which says nothing of the block
   */
  public boolean isDamaged(BlockId id) throws IOException {
    Segment segment = sealed.contains(id) ? segments.acquire(id.segment()) : null;
    if (segment == null) {
      return false;
    }
    try {
      BlockFileCheck.verify(id, segment.channel(), segment.length());
      return false;
    } catch (DamagedBlockException | EOFException e) {
      LOG.error("a block is lost: segment={} {}", segment, e.getMessage());
      delete(id);
      changes.gone(id);
      damaged.incrementAndGet();
      return true;
    } finally {
      segment.release();
    }
  }

  // ---- for the master

  /** Whether it takes new blocks, which it does unless it is to be empty. */
  public void setDraining(boolean isDraining) {
    draining = isDraining;
  }

  /** The sealed blocks of a file; a copy. */
  List<BlockId> of(long fid) {
    List<BlockId> ids = new ArrayList<>();
    for (BlockId id : sealed.tailSet(new BlockId(fid, 0))) {
      if (id.fid() != fid) {
        break;
      }
      ids.add(id);
    }
    return ids;
  }

  /** Takes some files of which blocks were sealed since this was called last. */
  public List<Long> takeSealedFiles(int limit) {
    List<Long> taken = new ArrayList<>();
    for (Long fid = sealedFiles.poll(); fid != null; fid = sealedFiles.poll()) {
      taken.add(fid);
      if (taken.size() == limit) {
        break;
      }
    }
    return taken;
  }

  /** The first sealed block behind this one, or null. */
  public BlockId next(BlockId after) {
    return after == null ? (sealed.isEmpty() ? null : first()) : sealed.higher(after);
  }

  private BlockId first() {
    return sealed.ceiling(new BlockId(Long.MIN_VALUE, 0));
  }

  /** Whether this block is here and complete. */
  boolean isSealed(BlockId id) {
    return sealed.contains(id);
  }

  /** The tier of a sealed block; null when it is not here any more. */
  public Tier tier(BlockId id) {
    return segments.find(id.segment()).map(Segment::tier).orElse(null);
  }

  /** The tier of a block that is here and complete; null when it is not. */
  public Tier sealedTier(BlockId id) {
    return sealed.contains(id) ? tier(id) : null;
  }

  /** Files of which blocks are being written; a copy. */
  public List<Long> openFiles() {
    return new ArrayList<>(open.keySet().stream().map(BlockId::fid).distinct().toList());
  }

  /** How many sealed blocks there are. */
  public int size() {
    return sealed.size();
  }

  /** Room in all tiers, in bytes. */
  public long freeBytes() {
    return segments.usage().freeBytes(Tier.values());
  }

  /** How many blocks were found damaged. */
  public long damaged() {
    return damaged.get();
  }

  /** How many are being written. */
  public int writing() {
    return open.size();
  }
}
