package dev.sailfish.imerger;

import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.Ordering;
import dev.sailfish.protocol.wire.ChunkDescription;
import java.io.IOException;

/** One chunk of the partition: where it is, its tail, and which of its sources count. */
final class SortedChunk {
  private final ChunkSet set;
  private final long id;
  private ServerLink link;
  private ChunkTail tail;
  private int[] ranks = new int[0];
  private int[] owners = new int[0];
  private long expectedRecords;
  private long deliveredRecords;
  private long expectedWalk;
  private long walkedRecords;
  private ChunkRun[] prefetched = new ChunkRun[0];

  SortedChunk(ChunkSet set, long id, ServerLink link) {
    this.set = set;
    this.id = id;
    this.link = link;
  }

  ChunkSet set() {
    return set;
  }

  long id() {
    return id;
  }

  String job() {
    return set.metaserver().job();
  }

  ServerLink link() {
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
      awaitHere(fetch);
    } catch (UnavailableException e) {
      ChunkDescription place = set.metaserver().whereIs(id, e);
      ServerLink now = place == null ? link : set.links().to(place.getHost(), place.getPort());
      if (now == link) {
        throw e;
      }
      link = now;
      awaitHere(fetch);
    }
  }

  private void awaitHere(Fetch fetch) throws IOException {
    if (!fetch.complete() && fetch.link() != link) {
      link.send(fetch);
    }
    link.await(fetch);
  }

  /** The tail, with keys if they are needed, or null before it was fetched. */
  ChunkTail tail() {
    return tail;
  }

  void setTail(ChunkTail newTail) {
    dropTail();
    tail = newTail;
    set.memory().change(tail.heapBytes());
  }

  private void dropTail() {
    if (tail != null) {
      set.memory().change(-tail.heapBytes());
      tail = null;
    }
  }

  /** Gives back the memory that the tail and prefetched windows take. */
  void release() {
    forgetWindows();
    dropTail();
  }

  /** Forgets what was prefetched; the tail stays. */
  void forgetWindows() {
    for (ChunkRun run : prefetched) {
      if (run != null) {
        run.release();
      }
    }
    prefetched = new ChunkRun[0];
  }

  /** Says whose blocks are lost when this chunk is: pairs (map, attempt). */
  void setOwners(int[] pairs) {
    owners = pairs;
  }

  int[] owners() {
    return owners;
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

  /** Leading windows that were read before the merge, by run; empty when there are none. */
  ChunkRun[] prefetched() {
    return prefetched;
  }

  void setPrefetched(ChunkRun[] runs) {
    prefetched = runs;
  }

  /** Whether a run can hold a record that counts. */
  boolean runCounts(int run) {
    return tail.ordering() == Ordering.NORMALIZED ? expectedRecords > 0 : ranks[run] >= 0;
  }

  void countRead(int bytes) {
    MergeStatistics statistics = set.statistics();
    statistics.reads++;
    statistics.bytesFetched += bytes;
  }

  /** Blocks with so many records, counting or not, are to be walked over. */
  void expectWalk(long records) {
    expectedWalk += records;
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

  /** The exception that says that everything of this chunk that counts is lost. */
  LostBlocksException lost(IOException cause) {
    Losses losses = new Losses();
    losses.add(this, ": " + cause.getMessage(), cause);
    return set.metaserver().report(losses);
  }

  @Override
  public String toString() {
    return "chunk=%x of job=%s partition=%s on %s"
        .formatted(id, job(), set.metaserver().partition(), link);
  }
}
