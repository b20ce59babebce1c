package dev.sailfish.web.source.shuffle;

import dev.sailfish.format.tail.IndexSummary;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.web.source.Reach;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks chunkservers for indexes of sorted chunks; changes nothing there. Thread-safe. */
public final class Indexes {
  /** Entries of all runs together have about so many for each run. */
  private static final int ENTRIES = 512;

  private final Metaservers metaservers;
  private final Reach reach;

  /**
   * @param metaservers says where chunks are; is not closed
   */
  public Indexes(Metaservers metaservers, Reach reach) {
    this.metaservers = metaservers;
    this.reach = reach;
  }

  /**
   * The histogram of a partition; empty when the metaserver does not know the job (any more).
   *
   * @param id of the job at the metaserver
   * @throws IOException when a server that has chunks of it does not answer
   */
  public Optional<Histogram> histogram(String id, int partition) throws IOException {
    Optional<List<ChunkDescription>> chunks = metaservers.chunks(id, partition);
    if (chunks.isEmpty()) {
      return Optional.empty();
    }
    Map<InetSocketAddress, List<Long>> servers = new LinkedHashMap<>();
    long bytes = 0;
    int unsorted = 0;
    for (ChunkDescription chunk : chunks.get()) {
      if (chunk.getState() == ChunkState.SORTED.code()) {
        bytes += chunk.getRawBytes();
        servers
            .computeIfAbsent(
                new InetSocketAddress(chunk.getHost(), chunk.getPort()), at -> new ArrayList<>())
            .add(chunk.getChunk());
      } else if (chunk.getRawBytes() > 0) {
        unsorted++;
      }
    }
    IndexBars bars = new IndexBars();
    for (Map.Entry<InetSocketAddress, List<Long>> server : servers.entrySet()) {
      for (IndexSummary summary :
          summaries(server.getKey(), id, server.getValue(), bytes / ENTRIES)) {
        summary.entries().forEach(bars::add);
      }
    }
    return Optional.of(new Histogram(partition, bars.bars(), unsorted));
  }

  private List<IndexSummary> summaries(
      InetSocketAddress server, String id, List<Long> chunks, long grain) throws IOException {
    try (ChunkserverClient client =
        ChunkserverClient.connect(
            reach.network(), server, Reach.CALLER, reach.credentials(), reach.deadline())) {
      return client.summarizeIndex(id, chunks, grain, false);
    }
  }
}
