package dev.sailfish.system;

import dev.sailfish.protocol.wire.ChunkReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The files of chunks, found behind their chunkserver's back. */
public final class SegmentFiles {
  private SegmentFiles() {}

  /**
   * The files with a chunk's blocks, in the order of their names.
   *
   * @param directories those of the server's tiers; any may be missing
   */
  public static List<Path> of(ChunkReport chunk, List<Path> directories) throws IOException {
    String part = "-" + Long.toHexString(chunk.getChunk()) + "-";
    List<Path> found = new ArrayList<>();
    for (Path directory : directories) {
      if (Files.isDirectory(directory)) {
        try (Stream<Path> files = Files.list(directory)) {
          files.filter(file -> file.getFileName().toString().contains(part)).forEach(found::add);
        }
      }
    }
    return found.stream().sorted().toList();
  }

  /** The file in the memory of the first chunkserver of {@link SailfishDaemons}. */
  public static Path inMemory(ChunkReport chunk, Path work) throws IOException {
    return of(chunk, List.of(work.resolve("memory0").resolve("segments"))).get(0);
  }
}
