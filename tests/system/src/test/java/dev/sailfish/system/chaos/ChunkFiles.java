package dev.sailfish.system.chaos;

import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.ChunkReport;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Damages the files of chunks behind their chunkserver's back. */
final class ChunkFiles {
  private static final int SORT_MS = 5_000;

  private final ChaosCluster cluster;

  ChunkFiles(ChaosCluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Flips one bit of one chunk of the server. An OPEN chunk is made SORTED first, as an early
   * reader would.
   *
   * @return what was flipped; empty when the server has no chunk with a block
   */
  Optional<String> flipBit(Daemon chunkserver, SplittableRandom random) throws IOException {
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
    List<Path> files = filesOf(chunk, chunkserver);
    if (files.isEmpty()) {
      return Optional.empty();
    }
    Path file = files.get(random.nextInt(files.size()));
    String what =
        "chunk=" + Long.toHexString(chunk.getChunk()) + " state=" + chunk.getState() + " on ";
    return flip(file, chunk, random).map(where -> what + chunkserver + " " + where);
  }

  private static Optional<String> flip(Path path, ChunkReport chunk, SplittableRandom random)
      throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      long length = Math.min(file.length(), chunk.getStoredBytes());
      if (length == 0) {
        return Optional.empty();
      }
      long offset = random.nextLong(length);
      int bit = random.nextInt(Byte.SIZE);
      file.seek(offset);
      int before = file.read();
      file.seek(offset);
      file.write(before ^ 1 << bit);
      return Optional.of("file=" + path + " offset=" + offset + " of " + length + " bit=" + bit);
    } catch (FileNotFoundException e) {
      return Optional.empty(); // deleted or renamed meanwhile
    }
  }

  private List<Path> filesOf(ChunkReport chunk, Daemon chunkserver) throws IOException {
    String part = "-" + Long.toHexString(chunk.getChunk()) + "-";
    List<Path> found = new ArrayList<>();
    for (Path directory : cluster.segmentDirectories(chunkserver)) {
      if (Files.isDirectory(directory)) {
        try (Stream<Path> files = Files.list(directory)) {
          files.filter(file -> file.getFileName().toString().contains(part)).forEach(found::add);
        }
      }
    }
    return found.stream().sorted().toList();
  }
}
