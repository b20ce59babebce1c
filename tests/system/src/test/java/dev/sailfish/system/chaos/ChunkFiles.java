package dev.sailfish.system.chaos;

import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.ChunkReport;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Damages the files of chunks behind their chunkserver's back. */
final class ChunkFiles {
  private final ChaosCluster cluster;

  ChunkFiles(ChaosCluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Flips one bit of one STABLE or SORTED chunk of the server.
   *
   * @return what was flipped; empty when the server has no such chunk
   */
  Optional<String> flipBit(Daemon chunkserver, SplittableRandom random) throws IOException {
    List<ChunkReport> chunks = new ArrayList<>();
    try (ChunkserverClient client = cluster.chunkserverClient(chunkserver)) {
      for (ChunkReport chunk : client.listChunks("").getChunksList()) {
        boolean complete =
            chunk.getState() == ChunkState.STABLE.code()
                || chunk.getState() == ChunkState.SORTED.code();
        if (complete && chunk.getStoredBytes() > 0) {
          chunks.add(chunk);
        }
      }
    }
    if (chunks.isEmpty()) {
      return Optional.empty();
    }
    ChunkReport chunk = chunks.get(random.nextInt(chunks.size()));
    List<Path> files = filesOf(chunk, chunkserver);
    if (files.isEmpty()) {
      return Optional.empty();
    }
    Path file = files.get(random.nextInt(files.size()));
    return flip(file, chunk, random)
        .map(
            where ->
                "chunk="
                    + Long.toHexString(chunk.getChunk())
                    + " state="
                    + chunk.getState()
                    + " on "
                    + chunkserver
                    + " "
                    + where);
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
