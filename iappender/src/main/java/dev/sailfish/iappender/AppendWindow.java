package dev.sailfish.iappender;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Sends blocks and keeps each until a chunkserver has acknowledged it. At most a window's bytes are
 * kept; {@link #submit} waits when it is full.
 *
 * <p>What a refusal means: CHUNK_FULL, a chunk that is gone: bind to another chunk. BUSY, NO_SPACE,
 * DEADLINE, INTERNAL, CORRUPT: again later. A broken connection: once more over a new one, then
 * elsewhere. A silent server: {@link SilenceWatch}. In all cases the same block goes out again with
 * the same sequence; where it was acknowledged first is where the manifest says it is. All else,
 * and a block that was tried for longer than the deadline, fails the attempt.
 */
final class AppendWindow {
  private static final int MOST_BLOCKS = 1024;
  private static final int TRIES_BEFORE_ELSEWHERE = 4;
  private static final int BREAKS_BEFORE_ELSEWHERE = 2;
  private static final long LONGEST_WAIT_MS = 200;
  private static final long WAIT_OF_MANY_MS = 5;
  private static final long MILLI = 1_000_000;

  private final MapAttempt attempt;
  private final ChunkBinder binder;
  private final SilenceWatch watch;
  private final BufferPool pool;
  private final Network network;
  private final int windowBytes;
  private final Duration deadline;
  private final PartitionLog[] logs;

  /** Blocks to be sent, in the order they were made. */
  private final ArrayList<StoredBlock> queued = new ArrayList<>();

  /** Blocks that were answered and not looked at yet. */
  private final ArrayList<StoredBlock> replied = new ArrayList<>();

  private boolean newPartitions;
  private long heldBytes;
  private int held;

  /** How many blocks there are. */
  long blocks;

  /** Bytes of all blocks as they are stored. */
  long storedBytes;

  /** Bytes of all blocks before compression. */
  long rawBytes;

  /** Records in all blocks. */
  long records;

  /** How many times a block was sent again. */
  long resent;

  AppendWindow(
      MapAttempt attempt,
      ChunkBinder binder,
      SilenceWatch watch,
      BufferPool pool,
      IappenderConfig config,
      int partitions) {
    this.attempt = attempt;
    this.binder = binder;
    this.watch = watch;
    this.pool = pool;
    this.network = config.network();
    this.windowBytes = config.windowBytes();
    this.deadline = config.deadline();
    this.logs = new PartitionLog[partitions];
  }

  /** The partition has data, so that a chunk will be needed for it. */
  void expect(int partition) {
    if (logs[partition] == null) {
      logs[partition] = new PartitionLog(partition);
      newPartitions = true;
    }
  }

  /**
   * Counts the records of a block in the partition's manifest.
   *
   * @param recordBytes bytes of their normalized keys and values
   * @param checksum sum of their {@link dev.sailfish.format.RecordChecksum}
   */
  void count(int partition, int blockRecords, long recordBytes, long checksum) {
    expect(partition);
    records += blockRecords;
    logs[partition].count(blockRecords, recordBytes, checksum);
  }

  /** Counts a block of the partition and returns its sequence. */
  int nextSequence(int partition, int blockBytes) {
    expect(partition);
    rawBytes += blockBytes;
    return logs[partition].add(blockBytes);
  }

  /**
   * Takes a block and sends it, waiting first while the window is full.
   *
   * @param bytes holds the stored bytes at {@code offset}; given to the pool when acknowledged
   */
  void submit(BlockHeader header, byte[] bytes, int offset) throws IOException {
    while (held > 0 && (heldBytes + bytes.length > windowBytes || held >= MOST_BLOCKS)) {
      step();
    }
    StoredBlock block = new StoredBlock(header, blocks++, bytes, offset, replied);
    block.firstTriedNs = network.nanoTime();
    block.notBeforeNs = block.firstTriedNs;
    held++;
    heldBytes += bytes.length;
    storedBytes += header.storedLength();
    queued.add(block);
    sendDue();
    if (2 * heldBytes > windowBytes) {
      takeReplies();
      settle();
    }
    watch.checkLeft(logs);
  }

  /** Waits until all blocks are acknowledged, and makes sure that none of them is known as lost. */
  void drain() throws IOException {
    while (held > 0) {
      step();
    }
    watch.checkLeftNow(logs);
  }

  /** Sends what is due; when no reply is there, waits for one or for the next block to be due. */
  private void step() throws IOException {
    sendDue();
    if (held == 0 || settle()) {
      return;
    }
    awaitReply();
    if (!settle()) {
      checkSilence();
      watch.checkLeft(logs);
      checkDeadlines();
    }
  }

  private void sendDue() throws IOException {
    settle();
    while (!queued.isEmpty()) {
      bindUnbound();
      StoredBlock block = firstDue(network.nanoTime());
      if (block == null) {
        return;
      }
      queued.remove(block);
      send(block);
      settle();
    }
  }

  private StoredBlock firstDue(long nowNs) {
    for (StoredBlock block : queued) {
      PartitionLog log = logs[block.partition];
      AppendLink link = log.link;
      boolean due = block.notBeforeNs - nowNs <= 0;
      if (due && link != null && link.notBeforeNs - nowNs <= 0 && log.inOrder()) {
        return block;
      }
    }
    return null;
  }

  /** Binds what has a block to send; the first time, all partitions that have data. */
  private void bindUnbound() throws IOException {
    Set<PartitionLog> unbound = null;
    long nowNs = network.nanoTime();
    for (StoredBlock block : queued) {
      PartitionLog log = logs[block.partition];
      if (log.link == null && block.notBeforeNs - nowNs <= 0) {
        unbound = unbound == null ? new LinkedHashSet<>() : unbound;
        unbound.add(log);
      }
    }
    if (unbound == null) {
      return;
    }
    if (newPartitions) {
      newPartitions = false;
      for (PartitionLog log : logs) {
        if (log != null && log.link == null && log.chunk == 0) {
          unbound.add(log);
        }
      }
    }
    binder.bind(List.copyOf(unbound));
  }

  private void send(StoredBlock block) throws IOException {
    PartitionLog log = logs[block.partition];
    block.link = log.link;
    block.chunk = log.chunk;
    block.sentNs = network.nanoTime();
    block.state = StoredBlock.State.SENT;
    if (block.tries++ > 0) {
      resent++;
    }
    log.sent();
    try {
      block.link.send(log.request, block);
    } catch (IOException e) {
      if (!block.link.sent.contains(block)) {
        block.link.sent.add(block);
      }
      broke(block.link, e);
    }
  }

  /** Looks at all blocks that were answered; returns whether there were any. */
  private boolean settle() throws IOException {
    if (replied.isEmpty()) {
      return false;
    }
    for (int i = 0; i < replied.size(); i++) {
      StoredBlock block = replied.get(i);
      PartitionLog log = logs[block.partition];
      block.link.answered(block);
      log.answered();
      if (block.state == StoredBlock.State.ACKED) {
        binder.works(block.link);
        log.acknowledged(block.sequence, block.chunk);
        held--;
        heldBytes -= block.bytes.length;
        pool.give(block.bytes);
      } else {
        refused(block, log);
      }
    }
    replied.clear();
    return true;
  }

  private void refused(StoredBlock block, PartitionLog log) throws IOException {
    Status status = ((RemoteException) block.lastError).status();
    boolean present = log.link == block.link && log.chunk == block.chunk;
    long nowNs = network.nanoTime();
    long pauseNs = RetryPolicy.TASK.waitNs(block.tries, nowNs);
    long waitNs =
        switch (status) {
          case CHUNK_FULL -> {
            if (present) {
              log.unbind(true);
            }
            yield block.tries < TRIES_BEFORE_ELSEWHERE ? 0 : pauseNs;
          }
          case CHUNK_UNKNOWN, CHUNK_LOST -> {
            if (log.holds(block.chunk)) {
              throw failure(block, "the chunk is lost with blocks of this attempt in it");
            }
            if (present) {
              log.unbind(true);
            }
            yield pauseNs;
          }
          case NO_SPACE, DRAINING, INTERNAL -> {
            if (present && block.tries % TRIES_BEFORE_ELSEWHERE == 0) {
              binder.avoid(block.link);
              log.unbind(false);
            }
            yield pauseNs;
          }
          case BUSY, DEADLINE, CORRUPT, NOT_LEADER -> pauseNs;
          case JOB_UNKNOWN ->
              throw MetaserverLink.jobUnknown(
                  attempt, "chunkserver " + block.link, block.lastError);
          case BAD_REQUEST,
              VERSION_MISMATCH,
              CONFLICT,
              UNAUTHENTICATED,
              FORBIDDEN,
              OVER_QUOTA,
              OVER_LIMIT,
              NOT_ADMITTED,
              NOT_HELD,
              TOKEN_EXPIRED ->
              throw failure(block, "the chunkserver refuses it for good");
        };
    checkDeadline(block);
    requeue(block, nowNs + waitNs);
  }

  private void requeue(StoredBlock block, long notBeforeNs) {
    block.state = StoredBlock.State.QUEUED;
    block.notBeforeNs = notBeforeNs;
    int index = queued.size();
    while (index > 0 && queued.get(index - 1).ordinal > block.ordinal) {
      index--;
    }
    queued.add(index, block);
  }

  /** A connection broke, or its server is silent: what was sent over it goes out again. */
  private void broke(AppendLink link, IOException error) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw error;
    }
    if (MetaserverLink.isJobUnknown(error)) {
      throw MetaserverLink.jobUnknown(attempt, "chunkserver " + link, error);
    }
    link.broke(network.nanoTime());
    sendAgain(link, error);
    boolean hopeless = link.failures >= BREAKS_BEFORE_ELSEWHERE;
    if (hopeless || (watch.isSilent(link) && watch.isToBeLeft(link, logs, error))) {
      leave(link, error);
    }
    checkDeadlines();
  }

  private void sendAgain(AppendLink link, IOException error) {
    long nowNs = network.nanoTime();
    StoredBlock block = link.sent.pollFirst();
    while (block != null) {
      if (block.state == StoredBlock.State.SENT) {
        logs[block.partition].answered();
        block.lastError = error;
        requeue(block, nowNs);
      }
      block = link.sent.pollFirst();
    }
  }

  /** What was bound to the server goes elsewhere, if there is any other. */
  private void leave(AppendLink link, IOException error) {
    watch.leaving(link, logs, error);
    link.left();
    binder.avoid(link);
    for (PartitionLog log : logs) {
      if (log != null && log.link == link) {
        log.unbind(false);
      }
    }
  }

  private void checkSilence() throws IOException {
    for (AppendLink link : binder.links()) {
      if (!link.sent.isEmpty() && watch.isSilent(link)) {
        boolean leave = watch.isToBeLeft(link, logs, null);
        // Asking takes its time, in which an answer may have come.
        poll(link, 0);
        settle();
        if (leave && !link.sent.isEmpty() && watch.isSilent(link)) {
          IOException silence = new IOException("no answer from " + link);
          link.close();
          sendAgain(link, silence);
          leave(link, silence);
        }
      }
    }
  }

  private void takeReplies() throws IOException {
    for (AppendLink link : binder.links()) {
      poll(link, 0);
    }
  }

  private void awaitReply() throws IOException {
    takeReplies();
    if (!replied.isEmpty()) {
      return;
    }
    AppendLink oldest = null;
    int waiting = 0;
    for (AppendLink link : binder.links()) {
      if (!link.sent.isEmpty()) {
        waiting++;
        if (oldest == null || sentNs(link) - sentNs(oldest) < 0) {
          oldest = link;
        }
      }
    }
    long waitMs = untilDueMs();
    if (oldest == null) {
      network.pause(network.nanoTime() + waitMs * MILLI, "waiting for the next try of an append");
    } else {
      poll(oldest, waiting > 1 ? Math.min(waitMs, WAIT_OF_MANY_MS) : waitMs);
    }
  }

  private static long sentNs(AppendLink link) {
    return link.sent.peekFirst().sentNs;
  }

  private void poll(AppendLink link, long waitMs) throws IOException {
    if (link.sent.isEmpty()) {
      return;
    }
    try {
      link.poll(waitMs);
    } catch (IOException e) {
      broke(link, e);
    }
  }

  /** How long to wait at most before a block that is queued may be due. */
  private long untilDueMs() {
    long waitNs = LONGEST_WAIT_MS * MILLI;
    long nowNs = network.nanoTime();
    for (StoredBlock block : queued) {
      AppendLink link = logs[block.partition].link;
      long untilNs = block.notBeforeNs - nowNs;
      if (link != null) {
        untilNs = Math.max(untilNs, link.notBeforeNs - nowNs);
      }
      if (link == null || logs[block.partition].inOrder()) {
        waitNs = Math.min(waitNs, untilNs);
      }
    }
    return Math.max(1, waitNs / MILLI);
  }

  private void checkDeadlines() throws IOException {
    for (StoredBlock block : queued) {
      checkDeadline(block);
    }
    for (AppendLink link : binder.links()) {
      StoredBlock oldest = link.sent.peekFirst();
      if (oldest != null) {
        checkDeadline(oldest);
      }
    }
  }

  private void checkDeadline(StoredBlock block) throws IOException {
    if (network.nanoTime() - block.firstTriedNs > deadline.toNanos()) {
      throw failure(block, "deadline_ms=" + deadline.toMillis() + " is over");
    }
  }

  private IOException failure(StoredBlock block, String why) {
    String message =
        "cannot append a block: "
            + why
            + ": "
            + attempt
            + " partition="
            + block.partition
            + " sequence="
            + block.sequence
            + " chunk="
            + Long.toHexString(block.chunk)
            + " server="
            + block.link
            + " tries="
            + block.tries
            + " waited_ms="
            + (network.nanoTime() - block.firstTriedNs) / MILLI
            + ": last error="
            + (block.lastError == null ? "none" : block.lastError.getMessage());
    return new IOException(message, block.lastError);
  }

  /** Adds what was written to each partition that has blocks; all must have been acknowledged. */
  void addTo(CommitManifestRequest.Builder manifest) {
    for (PartitionLog log : logs) {
      if (log != null && log.blocks > 0) {
        // Not addAll, which loads more classes.
        manifest.addPartitions(log.manifest());
      }
    }
  }

  /** Whether the attempt was ever bound to a chunk. */
  boolean bound() {
    return binder.bound();
  }

  /** Closes all connections and forgets what was not acknowledged. */
  void close() {
    for (AppendLink link : binder.links()) {
      link.close();
    }
    queued.clear();
    replied.clear();
  }
}
