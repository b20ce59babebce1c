package dev.sailfish.imerger;

import dev.sailfish.format.Ordering;
import java.io.IOException;

/** One chunk of the partition: where it is, its index, and which of its sources count. */
final class SortedChunk {
  private final MergeSession session;
  private final long id;
  private ServerLink link;
  private ChunkIndex index;
  private int[] ranks = new int[0];
  private int[] owners = new int[0];
  private long expectedRecords;
  private long deliveredRecords;
  private ChunkRun[] prefetched = new ChunkRun[0];

  SortedChunk(MergeSession session, long id, ServerLink link) {
    this.session = session;
    this.id = id;
    this.link = link;
  }

  long id() {
    return id;
  }

  String job() {
    return session.job();
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
      ServerLink now = session.whereIs(id, e);
      if (now == null || now == link) {
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

  MergeSession session() {
    return session;
  }

  /** The index, or null before the tail was fetched. */
  ChunkIndex index() {
    return index;
  }

  void setIndex(ChunkIndex newIndex) {
    index = newIndex;
    session.memory().change(newIndex.heapBytes());
  }

  /** Gives back the memory that the index and prefetched windows take. */
  void release() {
    for (ChunkRun run : prefetched) {
      if (run != null) {
        run.release();
      }
    }
    prefetched = new ChunkRun[0];
    if (index != null) {
      session.memory().change(-index.heapBytes());
      index = null;
    }
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
    for (int source = 0; source < ranks.length; source++) {
      if (ranks[source] >= 0) {
        expectedRecords += index.sourceRecords(source);
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
    return index.ordering() == Ordering.NORMALIZED ? expectedRecords > 0 : ranks[run] >= 0;
  }

  void countRead(int bytes) {
    MergeStatistics statistics = session.statistics();
    statistics.reads++;
    statistics.bytesFetched += bytes;
  }

  void countDelivered(long records) {
    deliveredRecords += records;
  }

  /**
   * Compares what came out of the chunk with what its source table promised.
   *
   * @throws IOException with both figures when they differ
   */
  void checkDelivered() throws IOException {
    if (deliveredRecords != expectedRecords) {
      throw new IOException(
          "records out of "
              + this
              + ": delivered="
              + deliveredRecords
              + " expected="
              + expectedRecords);
    }
  }

  /** The exception that says that everything of this chunk that counts is lost. */
  LostBlocksException lost(IOException cause) {
    Losses losses = new Losses();
    losses.add(this, ": " + cause.getMessage(), cause);
    return session.reported(losses.toException(job(), session.partition()));
  }

  @Override
  public String toString() {
    return "chunk="
        + Long.toHexString(id)
        + " of job="
        + job()
        + " partition="
        + session.partition()
        + " on "
        + link;
  }
}
