package dev.sailfish.system.yarn.chaos;

import dev.sailfish.chaos.BitFlip;
import dev.sailfish.chaos.Course;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.system.SegmentFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Turns a bit of a chunk's file behind its chunkserver's back. */
final class ChunkBitFlip implements Strike<ChaosCluster> {
  private static final int SORT_MS = 5_000;

  @Override
  public Optional<String> at(ChaosCluster cluster, Course course) {
    List<DaemonProcess> servers = new ArrayList<>(cluster.chunkservers().all());
    Optional<String> flipped = Optional.empty();
    while (flipped.isEmpty() && !servers.isEmpty()) {
      DaemonProcess server = servers.remove(course.random().nextInt(servers.size()));
      if (server.isRunning()) {
        try {
          flipped = flipBit(cluster, server, course.random());
        } catch (IOException e) {
          System.out.println("no bit of " + server + " can be flipped now: " + e);
        }
      }
    }
    return flipped;
  }

  /**
   * Flips one bit of one chunk of the server. An OPEN chunk is made SORTED first, as an early
   * reader would.
   *
   * @return what was flipped; empty when the server has no chunk with a block
   */
  private static Optional<String> flipBit(
      ChaosCluster cluster, DaemonProcess chunkserver, SplittableRandom random) throws IOException {
    ChunkReport chunk;
    try (ChunkserverClient client = cluster.chunkserverClient(chunkserver)) {
      List<ChunkReport> chunks =
          client.listChunks("").getChunksList().stream()
              .filter(held -> held.getState() != ChunkState.LOST.code() && held.getRecords() > 0)
              .toList();
      if (chunks.isEmpty()) {
        return Optional.empty();
      }
      chunk = chunks.get(random.nextInt(chunks.size()));
      if (chunk.getState() == ChunkState.OPEN.code()) {
        long id = chunk.getChunk();
        client.awaitSorted(chunk.getJob(), id, SORT_MS, Duration.ofMillis(SORT_MS));
        chunk =
            client.listChunks(chunk.getJob()).getChunksList().stream()
                .filter(held -> held.getChunk() == id)
                .findFirst()
                .orElse(chunk);
      }
    }
    List<Path> files = SegmentFiles.of(chunk, cluster.segmentDirectories(chunkserver));
    if (files.isEmpty()) {
      return Optional.empty();
    }
    Path file = files.get(random.nextInt(files.size()));
    String what =
        "chunk=" + Long.toHexString(chunk.getChunk()) + " state=" + chunk.getState() + " on ";
    return BitFlip.anywhere(file, chunk.getStoredBytes(), random)
        .map(where -> what + chunkserver + " " + where);
  }
}
