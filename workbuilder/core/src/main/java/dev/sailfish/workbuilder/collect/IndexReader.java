package dev.sailfish.workbuilder.collect;

import dev.sailfish.format.tail.IndexSummary;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.workbuilder.plan.ChunkIndex;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads indexes of chunks, and keeps by partition what was found and why something was not. */
final class IndexReader {
  private final String job;
  private final PlanReader.Chunkservers chunkservers;
  private final boolean last;
  private final Map<Integer, List<ChunkIndex>> found = new HashMap<>();
  private final Map<Integer, String> missing = new HashMap<>();
  private int unsorted;

  /**
   * @param last whether chunks that take appends are to be made STABLE
   */
  IndexReader(String job, PlanReader.Chunkservers chunkservers, boolean last) {
    this.job = job;
    this.chunkservers = chunkservers;
    this.last = last;
  }

  /**
   * Asks the servers of these chunks. A chunk that is OPEN as far as the metaserver knows may be
   * SORTED by now, so its server is asked too.
   *
   * @param bytesPerEntry how finely indexes are summed up
   */
  void read(List<ChunkDescription> chunks, long bytesPerEntry) throws InterruptedIOException {
    Map<String, List<ChunkDescription>> servers = new LinkedHashMap<>();
    for (ChunkDescription chunk : chunks) {
      if (chunk.getState() == ChunkState.LOST.code()) {
        miss(chunk, "it is LOST");
      } else {
        String server = chunk.getHost() + ":" + chunk.getPort();
        servers.computeIfAbsent(server, address -> new ArrayList<>()).add(chunk);
      }
    }
    for (Map.Entry<String, List<ChunkDescription>> server : servers.entrySet()) {
      ask(server.getKey(), server.getValue(), bytesPerEntry);
    }
  }

  private void ask(String server, List<ChunkDescription> chunks, long bytesPerEntry)
      throws InterruptedIOException {
    Map<Long, ChunkIndex> answer = new HashMap<>();
    String reason = "it is not SORTED on chunkserver " + server;
    boolean reachable = true;
    InetSocketAddress address =
        new InetSocketAddress(chunks.get(0).getHost(), chunks.get(0).getPort());
    try (ChunkserverClient client = chunkservers.connect(address)) {
      List<Long> ids = chunks.stream().map(ChunkDescription::getChunk).toList();
      for (IndexSummary summary : client.summarizeIndex(job, ids, bytesPerEntry, last)) {
        answer.put(summary.chunk(), ChunkIndex.of(summary));
      }
    } catch (IOException e) {
      Clock.checkInterrupt("reading indexes of job=" + job);
      reachable = false;
      reason = "chunkserver " + server + " cannot be asked: " + e.getMessage();
    }
    for (ChunkDescription chunk : chunks) {
      ChunkIndex index = answer.get(chunk.getChunk());
      if (index != null && index.entries() != null) {
        found.computeIfAbsent(chunk.getPartition(), p -> new ArrayList<>()).add(index);
      } else if (!isUntouched(chunk)) {
        unsorted += reachable ? 1 : 0;
        miss(chunk, reason);
      }
    }
  }

  /**
   * Whether nobody is known to have appended to it, as when an appender was bound to it and failed.
   * If somebody has, the plan finds that bytes are missing.
   */
  private static boolean isUntouched(ChunkDescription chunk) {
    return chunk.getState() == ChunkState.OPEN.code() && chunk.getRawBytes() == 0;
  }

  private void miss(ChunkDescription chunk, String reason) {
    String id = Long.toHexString(chunk.getChunk());
    miss(chunk.getPartition(), "the index of chunk " + id + " is missing: " + reason);
  }

  /** A partition stays whole; the first reason counts. */
  void miss(int partition, String reason) {
    missing.putIfAbsent(partition, reason);
  }

  /**
   * Compares what the indexes of a partition have with what its winners wrote. Where that is more,
   * blocks are in chunks that the metaserver takes for empty, or in some that are not sorted.
   */
  void check(int partition, long winnersWrote) {
    long indexed = 0;
    for (ChunkIndex chunk : found(partition)) {
      indexed += chunk.entries().stream().mapToLong(IndexSummary.Entry::rawBytes).sum();
    }
    if (indexed < winnersWrote && !missing.containsKey(partition)) {
      unsorted++;
      miss(partition, "its indexes have %d of %d bytes".formatted(indexed, winnersWrote));
    }
  }

  /** Why the partition stays whole, or null. */
  String missing(int partition) {
    return missing.get(partition);
  }

  /** How many chunks, at least, are not sorted yet; servers that cannot be asked aside. */
  int unsorted() {
    return unsorted;
  }

  /** The indexes of a partition. */
  List<ChunkIndex> found(int partition) {
    return found.getOrDefault(partition, List.of());
  }
}
