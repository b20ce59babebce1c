package dev.sailfish.imerger;

import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.imerger.fetch.MetaserverCalls;
import dev.sailfish.imerger.fetch.ReadLink;
import dev.sailfish.imerger.fetch.ReadLinks;
import dev.sailfish.imerger.merge.BlockDecoder;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.SlowServerException;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.ChunkLocation;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The chunks of the partition that are known: finds them, fetches their tails, all sent ahead, and
 * decides which of their sources count.
 */
final class ChunkSet {
  final ReadLinks links;
  final MetaserverCalls metaserver;
  final BlockDecoder decoder;
  final KeyOrder order;
  final MergeStatistics statistics;
  private final Map<Long, SortedChunk> known = new HashMap<>();

  /**
   * @param decoder counts tails and windows in its memory
   * @param order of keys that the reader has
   */
  ChunkSet(
      ReadLinks links,
      MetaserverCalls metaserver,
      BlockDecoder decoder,
      KeyOrder order,
      MergeStatistics statistics) {
    this.links = links;
    this.metaserver = metaserver;
    this.decoder = decoder;
    this.order = order;
    this.statistics = statistics;
  }

  /** The chunk with this id at this place; one that moved is known anew. */
  SortedChunk locate(long id, String host, int port) {
    ReadLink link = links.to(host, port);
    SortedChunk chunk = known.get(id);
    if (chunk != null && chunk.link() == link) {
      return chunk;
    }
    if (chunk != null) {
      chunk.release();
    }
    chunk = new SortedChunk(this, id, link);
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
    Losses losses = new Losses(metaserver);
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
        SortedChunk chunk = locate(id, location.getHost(), location.getPort());
        chunk.owners = accepted.ownersOf(id);
        chunks.add(chunk);
      }
    }
    losses.throwIfAny();
    dropOthers(accepted);
    return chunks;
  }

  /** All chunks of the partition. */
  List<SortedChunk> all(DescribeJobResponse job) {
    List<SortedChunk> chunks = new ArrayList<>();
    for (int i = 0; i < job.getChunksCount(); i++) {
      ChunkDescription chunk = job.getChunks(i);
      if (chunk.getPartition() == metaserver.partition()) {
        chunks.add(locate(chunk.getChunk(), chunk.getHost(), chunk.getPort()));
      }
    }
    return chunks;
  }

  /** The chunks that are on a server; a new list. */
  List<SortedChunk> on(ReadLink server) {
    List<SortedChunk> there = new ArrayList<>();
    for (SortedChunk chunk : known.values()) {
      if (chunk.link() == server) {
        there.add(chunk);
      }
    }
    return there;
  }

  private void dropOthers(AcceptedBlocks accepted) {
    Iterator<SortedChunk> chunks = known.values().iterator();
    while (chunks.hasNext()) {
      SortedChunk chunk = chunks.next();
      if (accepted.blocksIn(chunk.id) == 0) {
        chunk.release();
        chunks.remove();
      }
    }
  }

  /**
   * Waits until all these chunks are sorted, and takes their tails.
   *
   * @param byKey whether the keys in their indexes are needed
   * @return the chunks that have a tail: of those in one file only the first, which stands for the
   *     others
   * @throws LostBlocksException naming everything that is lost with the chunks that cannot be had
   * @throws SlowServerException when a server needs more time than there is, and nothing is lost
   */
  List<SortedChunk> awaitSorted(List<SortedChunk> chunks, boolean byKey) throws IOException {
    links.beginSortWait();
    for (SortedChunk chunk : chunks) {
      chunk.readAlone();
      chunk.requestTail(byKey, true);
    }
    Losses losses = new Losses(metaserver);
    for (SortedChunk chunk : chunks) {
      chunk.awaitTail(losses);
    }
    losses.throwIfAny();
    List<SortedChunk> files = new ArrayList<>(chunks.size());
    for (SortedChunk chunk : chunks) {
      SortedChunk file = fileOf(chunk, files);
      if (file != null) {
        file.readWith(chunk);
        continue;
      }
      if (chunk.tail() == null) {
        // The chunk that has the tail is not read, or was moved.
        chunk.requestTail(byKey, false);
        chunk.awaitTail(losses);
        losses.throwIfAny();
      }
      files.add(chunk);
    }
    return files;
  }

  /** The one of these that is read from the file in which a chunk is, too; or null. */
  private static SortedChunk fileOf(SortedChunk chunk, List<SortedChunk> files) {
    if (chunk.tail() != null && !chunk.tail().isShared()) {
      return null;
    }
    for (SortedChunk file : files) {
      if (file.link() == chunk.link() && file.tail().shares(chunk.id)) {
        return file;
      }
    }
    return null;
  }

  /**
   * Decides for every source of these chunks whether it counts, each block once.
   *
   * @throws LostBlocksException when a chunk does not hold a block that its manifest promises
   * @throws IOException when the blocks hold other numbers of records than the manifests say
   */
  void accept(List<SortedChunk> chunks, AcceptedBlocks accepted) throws IOException {
    Losses losses = new Losses(metaserver);
    for (SortedChunk chunk : chunks) {
      ChunkTail tail = chunk.tail();
      int[] ranks = new int[tail.sources()];
      int found = 0;
      for (int source = 0; source < ranks.length; source++) {
        long home = tail.sourceChunk(source, chunk.id);
        boolean reads = chunk.reads(source);
        ranks[source] = reads ? accepted.take(tail, source, home) : AcceptedBlocks.NOT_ACCEPTED;
        found += ranks[source] >= 0 ? 1 : 0;
      }
      int expected = 0;
      for (long id : chunk.ids()) {
        expected += accepted.blocksIn(id);
      }
      if (found != expected) {
        losses.add(
            chunk, " holds blocks=" + found + " of blocks=" + expected + " in the manifests", null);
      }
      chunk.setRanks(ranks);
    }
    losses.throwIfAny();
    accepted.checkFound();
  }

  /** Ranks the blocks of all attempts by (map, attempt, sequence), each once. */
  void acceptAll(List<SortedChunk> chunks) {
    SortedMap<int[], int[]> blocks = new TreeMap<>(Arrays::compare);
    List<int[]> ranks = new ArrayList<>();
    for (int i = 0; i < chunks.size(); i++) {
      ChunkTail tail = chunks.get(i).tail();
      int[] unranked = new int[tail.sources()];
      Arrays.fill(unranked, AcceptedBlocks.NOT_ACCEPTED);
      ranks.add(unranked);
      for (int source = 0; source < tail.sources(); source++) {
        int[] block = {
          tail.sourceMap(source), tail.sourceAttempt(source), tail.sourceSequence(source)
        };
        blocks.putIfAbsent(block, new int[] {i, source});
      }
    }
    int rank = 0;
    for (int[] place : blocks.values()) {
      ranks.get(place[0])[place[1]] = rank++;
    }
    for (int i = 0; i < ranks.size(); i++) {
      chunks.get(i).setRanks(ranks.get(i));
    }
  }

  /** Forgets which windows were read; tails stay. */
  void forgetWindows() {
    for (SortedChunk chunk : known.values()) {
      chunk.forgetWindows();
    }
  }
}
