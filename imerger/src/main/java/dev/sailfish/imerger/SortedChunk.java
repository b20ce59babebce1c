package dev.sailfish.imerger;

import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.imerger.fetch.Fetch;
import dev.sailfish.imerger.fetch.ReadLink;
import dev.sailfish.imerger.fetch.TailFetch;
import dev.sailfish.imerger.fetch.UnavailableException;
import dev.sailfish.imerger.merge.RunCursor;
import dev.sailfish.protocol.client.SlowServerException;
import dev.sailfish.protocol.wire.ChunkDescription;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * One chunk of the partition: where it is, its tail, and which of its sources count. If others are
 * read from the same file, this stands for them, too.
 */
final class SortedChunk {
  final ChunkSet set;
  final long id;

  /** Pairs (map, attempt) whose blocks are lost when this chunk is. */
  int[] owners = new int[0];

  /** This chunk, and those that are read with it. */
  private long[] ids;

  private ReadLink link;
  private ChunkTail tail;
  private TailFetch tailFetch;
  private int[] ranks = new int[0];
  private long expectedRecords;
  private long deliveredRecords;
  private long expectedWalk;
  private long walkedRecords;

  /** Runs of which windows were read before the merge, or null, by run. */
  private ChunkRun[] prefetched = new ChunkRun[0];

  SortedChunk(ChunkSet set, long id, ReadLink link) {
    this.set = set;
    this.id = id;
    this.link = link;
    readAlone();
  }

  ReadLink link() {
    return link;
  }

  /**
   * Waits for the good reply to a request that was sent for this chunk. When its server cannot give
   * it, and the metaserver says that the chunk is on another server now, that one is asked: there
   * it has the same bytes.
   *
   * @throws UnavailableException when it is nowhere to be had
   */
  void await(Fetch fetch) throws IOException {
    try {
      link.await(fetch);
    } catch (UnavailableException e) {
      if (!hasMoved(e)) {
        throw e;
      }
      link.await(fetch);
    }
  }

  /** Whether the metaserver says that it is on another server now; {@link #link} leads there. */
  private boolean hasMoved(UnavailableException why) throws IOException {
    ChunkDescription place = set.metaserver.whereIs(id, why);
    ReadLink old = link;
    link = place == null ? old : set.links.to(place.getHost(), place.getPort());
    return link != old;
  }

  /** The tail, with keys if they are needed, or null before it was fetched. */
  ChunkTail tail() {
    return tail;
  }

  /** Only this chunk is read, until {@link #readWith}. */
  void readAlone() {
    ids = new long[] {id};
  }

  /** Another chunk, which this one's tail lists, is read with this one. */
  void readWith(SortedChunk other) {
    ids = Arrays.copyOf(ids, ids.length + 1);
    ids[ids.length - 1] = other.id;
    int own = owners.length;
    owners = Arrays.copyOf(owners, own + other.owners.length);
    System.arraycopy(other.owners, 0, owners, own, other.owners.length);
    other.release();
  }

  /** This chunk, and those that are read with it; not to be changed. */
  long[] ids() {
    return ids;
  }

  /** Whether records of a source are read here, and not with another chunk, or not at all. */
  boolean reads(int source) {
    long home = tail.sourceChunk(source, id);
    for (long read : ids) {
      if (read == home) {
        return true;
      }
    }
    return false;
  }

  /**
   * Asks for the tail, unless it is there; {@link #awaitTail} has to follow.
   *
   * @param shares whether there will be none, if the server has given it for another chunk
   */
  void requestTail(boolean keys, boolean shares) throws IOException {
    boolean there = tail != null && (!keys || tail.hasKeys());
    tailFetch = there ? null : sendTailFetch(keys, shares);
  }

  private TailFetch sendTailFetch(boolean keys, boolean shares) throws IOException {
    TailFetch fetch = new TailFetch(set.links, id, keys, shares);
    link.send(fetch);
    return fetch;
  }

  /**
   * Takes the tail that was asked for.
   *
   * @param losses are added to when the chunk is lost
   * @throws SlowServerException when its server needs more time than there is, and nothing is lost
   */
  void awaitTail(Losses losses) throws IOException {
    TailFetch fetch = tailFetch;
    tailFetch = null;
    if (fetch == null) {
      return;
    }
    try {
      setTail(tailOf(fetch));
    } catch (UnavailableException e) {
      losses.add(this, ": " + e.getMessage(), e);
    } catch (SlowServerException e) {
      losses.throwIfAny();
      throw e;
    }
  }

  /** Null when another chunk has it. */
  private ChunkTail tailOf(TailFetch fetch) throws IOException {
    await(fetch);
    if (fetch.isElsewhere()) {
      return null;
    }
    try {
      return opened(fetch);
    } catch (UnsupportedFormatException e) {
      throw new IOException(this + ": " + e.getMessage(), e);
    } catch (FormatException first) {
      set.statistics.rereads++;
      TailFetch again = sendTailFetch(fetch.keepsKeys(), false);
      await(again);
      try {
        return opened(again);
      } catch (FormatException e) {
        e.addSuppressed(first);
        throw UnavailableException.missing(
            "tail is damaged, also when read again: " + e.getMessage(), e);
      }
    }
  }

  private ChunkTail opened(TailFetch fetch) throws IOException {
    ChunkTail fetched = fetch.tail();
    if (fetched.ordering() != set.order.ordering()) {
      throw new IOException(
          "%s has ordering=%s, the reader has ordering=%s"
              .formatted(this, fetched.ordering(), set.order.ordering()));
    }
    boolean keysEncrypted =
        fetch.keepsKeys() && set.decoder.encrypted() && fetched.ordering() == Ordering.NORMALIZED;
    return keysEncrypted ? set.decoder.withKeys(fetched, fetched.fileChunk(id)) : fetched;
  }

  private void setTail(ChunkTail newTail) {
    release();
    if (newTail == null) {
      return;
    }
    tail = newTail;
    prefetched = new ChunkRun[tail.runs()];
    set.decoder.hold(tail.heapBytes());
  }

  /** Gives back the memory that the tail and prefetched windows take. */
  void release() {
    forgetWindows();
    if (tail != null) {
      set.decoder.hold(-tail.heapBytes());
      tail = null;
    }
  }

  /** Forgets what was prefetched; the tail stays. */
  void forgetWindows() {
    for (ChunkRun run : prefetched) {
      if (run != null) {
        run.release();
      }
    }
    Arrays.fill(prefetched, null);
  }

  /** Rank by source, or {@link AcceptedBlocks#NOT_ACCEPTED}. */
  void setRanks(int[] newRanks) {
    ranks = newRanks;
    expectedRecords = 0;
    deliveredRecords = 0;
    expectedWalk = 0;
    walkedRecords = 0;
    for (int source = 0; source < ranks.length; source++) {
      if (ranks[source] >= 0) {
        expectedRecords += tail.sourceRecords(source);
      }
    }
  }

  int[] ranks() {
    return ranks;
  }

  /** Asks for a leading window of each run that can hold a record that counts. */
  void readAhead(AcceptedBlocks accepted) throws IOException {
    for (int run = 0; run < prefetched.length; run++) {
      if (tail.ordering() == Ordering.NORMALIZED || accepted.rank(tail, run, id) >= 0) {
        if (prefetched[run] == null) {
          prefetched[run] = new ChunkRun(this, run, null);
        }
        prefetched[run].readAhead();
      }
    }
  }

  /** Waits for what {@link #readAhead} asked for. */
  void awaitPrefetched() throws IOException {
    for (ChunkRun run : prefetched) {
      if (run != null) {
        run.awaitPrefetched();
      }
    }
  }

  /**
   * Adds the runs that may hold records that count; of them all blocks are to be walked over.
   *
   * @param filter of what is read; null: all. What was prefetched is of no use to a range
   */
  void addRuns(RangeFilter filter, List<RunCursor> runs) throws IOException {
    if (filter != null) {
      forgetWindows();
    }
    for (int i = 0; i < tail.runs(); i++) {
      ChunkRun run = prefetched[i];
      boolean counts = tail.ordering() == Ordering.NORMALIZED ? expectedRecords > 0 : ranks[i] >= 0;
      if (run == null && counts) {
        run = runOf(i, filter);
      }
      long records = run == null || !counts ? 0 : run.records();
      if (records > 0) {
        expectedWalk += records;
        runs.add(run);
      } else if (run != null) {
        run.release();
      }
    }
    Arrays.fill(prefetched, null);
  }

  private ChunkRun runOf(int run, RangeFilter filter) throws IOException {
    try {
      return new ChunkRun(this, run, filter);
    } catch (CorruptFormatException e) {
      throw new IOException(this + ": " + e.getMessage(), e);
    }
  }

  /** A run has ended. */
  void countRun(long walked, long delivered) {
    walkedRecords += walked;
    deliveredRecords += delivered;
  }

  /** How many records it is to deliver; of a range, at most so many. */
  long expectedRecords(boolean whole) {
    return whole ? expectedRecords : Math.min(expectedWalk, expectedRecords);
  }

  /** Records that count which came out of the runs that have ended. */
  long deliveredRecords() {
    return deliveredRecords;
  }

  /**
   * Compares what came out of the chunk with its index, and with its source table if all was read.
   *
   * @param whole whether all keys were read
   * @throws IOException with both figures when they differ
   */
  void checkDelivered(boolean whole) throws IOException {
    if (walkedRecords != expectedWalk || whole && deliveredRecords != expectedRecords) {
      throw new IOException(
          "records out of %s: read=%s in the index=%s delivered=%s expected=%s"
              .formatted(
                  this,
                  walkedRecords,
                  expectedWalk,
                  deliveredRecords,
                  whole ? Long.toString(expectedRecords) : "those of a range"));
    }
  }

  /**
   * The exception that says that what counts of this chunk is lost; and of all on its server, if
   * that refuses connections: the next attempt shall not have to find out.
   */
  LostBlocksException unavailable(UnavailableException why) throws IOException {
    ReadLink server = link;
    Losses losses = new Losses(set.metaserver);
    losses.add(this, ": " + why.getMessage(), why);
    for (SortedChunk other : server.isRefused() ? set.on(server) : List.<SortedChunk>of()) {
      if (other != this && !other.hasMoved(why)) {
        losses.add(other, ": likewise", why);
      }
    }
    return losses.report();
  }

  /** The exception that says that everything of this chunk that counts is lost. */
  LostBlocksException lost(IOException cause) {
    Losses losses = new Losses(set.metaserver);
    losses.add(this, ": " + cause.getMessage(), cause);
    return losses.report();
  }

  @Override
  public String toString() {
    return "chunk=%x%s of job=%s partition=%s on %s"
        .formatted(
            id,
            ids.length == 1 ? "" : " and others=" + (ids.length - 1),
            set.metaserver.job(),
            set.metaserver.partition(),
            link);
  }
}
