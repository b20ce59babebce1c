package dev.sailfish.imerger;

import dev.sailfish.format.FormatException;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.SlowServerException;
import dev.sailfish.protocol.wire.ChunkLocation;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The chunks of the partition that are known: finds them, fetches their tails, all sent ahead, and
 * decides which of their sources count.
 */
final class ChunkSet {
  private final MergeSession session;
  private final Map<Long, SortedChunk> known = new HashMap<>();

  ChunkSet(MergeSession session) {
    this.session = session;
  }

  /** The chunk with this id at this place; one that moved is known anew. */
  SortedChunk locate(long id, String host, int port) {
    ServerLink link = session.link(host, port);
    SortedChunk chunk = known.get(id);
    if (chunk != null && chunk.link() == link) {
      return chunk;
    }
    if (chunk != null) {
      chunk.release();
    }
    chunk = new SortedChunk(session, id, link);
    known.put(id, chunk);
    return chunk;
  }

  /**
   * The chunks of a plan that blocks that count are in, by id; a set that had others before gives
   * them up.
   *
   * @throws LostBlocksException when the metaserver knows of losses already
   */
  List<SortedChunk> required(PlanPartitionResponse plan, AcceptedBlocks accepted)
      throws LostBlocksException {
    Losses losses = new Losses();
    for (int i = 0; i < plan.getWinnersCount(); i++) {
      if (!plan.getWinners(i).getKnown()) {
        int[] pair = {plan.getWinners(i).getMap(), plan.getWinners(i).getAttempt()};
        losses.add(pair, "no manifest of map=" + pair[0] + " attempt=" + pair[1], null);
      }
    }
    Map<Long, ChunkLocation> locations = new HashMap<>();
    for (int i = 0; i < plan.getChunksCount(); i++) {
      locations.put(plan.getChunks(i).getChunk(), plan.getChunks(i));
    }
    List<SortedChunk> chunks = new ArrayList<>();
    for (long id : accepted.chunks()) {
      ChunkLocation location = locations.get(id);
      if (location == null || location.getState() == ChunkState.LOST.code()) {
        losses.add(
            accepted.ownersOf(id),
            "chunk="
                + Long.toHexString(id)
                + (location == null ? " is unknown" : " is LOST")
                + " to the metaserver",
            null);
      } else {
        chunks.add(locate(id, location.getHost(), location.getPort()));
      }
    }
    throwIfAny(losses);
    dropOthers(accepted);
    return chunks;
  }

  private void dropOthers(AcceptedBlocks accepted) {
    List<Long> needless = new ArrayList<>();
    for (Map.Entry<Long, SortedChunk> entry : known.entrySet()) {
      if (accepted.blocksIn(entry.getKey()) == 0) {
        entry.getValue().release();
        needless.add(entry.getKey());
      }
    }
    for (Long id : needless) {
      known.remove(id);
    }
  }

  private void throwIfAny(Losses losses) throws LostBlocksException {
    if (!losses.isEmpty()) {
      throw session.reported(losses.toException(session.job(), session.partition()));
    }
  }

  /**
   * Waits until all these chunks are sorted and have an index.
   *
   * @throws LostBlocksException naming everything that is lost with the chunks that cannot be had
   * @throws SlowServerException when a server needs more time than there is, and nothing is lost
   */
  void awaitSorted(List<SortedChunk> chunks) throws IOException {
    session.beginSortWait();
    TailFetch[] fetches = new TailFetch[chunks.size()];
    for (int i = 0; i < fetches.length; i++) {
      if (chunks.get(i).index() == null) {
        fetches[i] = sendTail(chunks.get(i));
      }
    }
    Losses losses = new Losses();
    for (int i = 0; i < fetches.length; i++) {
      if (fetches[i] != null) {
        SortedChunk chunk = chunks.get(i);
        try {
          chunk.setIndex(awaitTail(chunk, fetches[i]));
        } catch (UnavailableException e) {
          losses.add(chunk, ": " + e.getMessage(), e);
        } catch (SlowServerException e) {
          throwIfAny(losses);
          throw e;
        }
      }
    }
    throwIfAny(losses);
  }

  private TailFetch sendTail(SortedChunk chunk) throws IOException {
    TailFetch fetch = new TailFetch(session, chunk.id());
    chunk.link().send(fetch);
    return fetch;
  }

  private ChunkIndex awaitTail(SortedChunk chunk, TailFetch fetch) throws IOException {
    chunk.await(fetch);
    try {
      return checkOrdering(chunk, fetch.index());
    } catch (UnsupportedFormatException e) {
      throw new IOException(chunk + ": " + e.getMessage(), e);
    } catch (FormatException first) {
      session.statistics().rereads++;
      TailFetch again = sendTail(chunk);
      chunk.await(again);
      try {
        return checkOrdering(chunk, again.index());
      } catch (FormatException e) {
        e.addSuppressed(first);
        throw new UnavailableException(
            "tail is damaged, also when read again: " + e.getMessage(), e);
      }
    }
  }

  private ChunkIndex checkOrdering(SortedChunk chunk, ChunkIndex index) throws IOException {
    Ordering expected = session.order().ordering();
    if (index.ordering() != expected) {
      throw new IOException(
          chunk + " has ordering=" + index.ordering() + ", the reader has ordering=" + expected);
    }
    return index;
  }

  /**
   * Decides for every source of these chunks whether it counts, each block once.
   *
   * @throws LostBlocksException when a chunk does not hold a block that its manifest promises
   * @throws IOException when the blocks hold other numbers of records than the manifests say
   */
  void accept(List<SortedChunk> chunks, AcceptedBlocks accepted) throws IOException {
    Losses losses = new Losses();
    long[] seen = new long[(accepted.blocks() + Long.SIZE - 1) / Long.SIZE];
    for (SortedChunk chunk : chunks) {
      ChunkIndex index = chunk.index();
      int[] ranks = new int[index.sources()];
      int found = 0;
      for (int source = 0; source < ranks.length; source++) {
        int map = index.sourceMap(source);
        int rank =
            accepted.rank(
                map, index.sourceAttempt(source), index.sourceSequence(source), chunk.id());
        if (rank >= 0 && (seen[rank / Long.SIZE] & 1L << rank) != 0) {
          rank = AcceptedBlocks.NOT_ACCEPTED;
        }
        ranks[source] = rank;
        if (rank >= 0) {
          seen[rank / Long.SIZE] |= 1L << rank;
          accepted.addFound(map, index.sourceRecords(source));
          found++;
        }
      }
      int expected = accepted.blocksIn(chunk.id());
      if (found != expected) {
        losses.add(
            chunk, " holds blocks=" + found + " of blocks=" + expected + " in the manifests", null);
      }
      chunk.setRanks(ranks);
    }
    throwIfAny(losses);
    accepted.checkFound();
  }

  /** Forgets which windows were read; indexes stay. */
  void forgetWindows() {
    for (SortedChunk chunk : known.values()) {
      for (ChunkRun run : chunk.prefetched()) {
        if (run != null) {
          run.release();
        }
      }
      chunk.setPrefetched(new ChunkRun[0]);
    }
  }

  /** The runs of these chunks that hold records that count. */
  static List<RunCursor> runs(List<SortedChunk> chunks) {
    List<RunCursor> runs = new ArrayList<>();
    for (SortedChunk chunk : chunks) {
      ChunkRun[] prefetched = chunk.prefetched();
      for (int run = 0; run < chunk.index().runs(); run++) {
        ChunkRun begun = run < prefetched.length ? prefetched[run] : null;
        if (chunk.runCounts(run)) {
          runs.add(begun == null ? new ChunkRun(chunk, run) : begun);
        } else if (begun != null) {
          begun.release();
        }
      }
      chunk.setPrefetched(new ChunkRun[0]);
    }
    return runs;
  }
}
