package dev.sailfish.lineage.worker;

import dev.sailfish.blockstore.file.DirectoryLock;
import dev.sailfish.blockstore.file.SegmentFileName;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.config.StorageDirectory;
import dev.sailfish.lineage.worker.block.BlockFileCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The directories of a worker that does not run. */
public final class StoredBlocks {
  private final List<Path> directories;

  /**
   * @param settings the worker's
   * @throws IllegalArgumentException when something is wrong with them
   */
  public StoredBlocks(Settings settings) {
    LineageWorkerKey.ALL.check(settings);
    directories =
        LineageWorker.directories(settings).stream()
            .map(StorageDirectory::path)
            .map(path -> path.resolve("segments"))
            .toList();
  }

  /**
   * What is in them.
   *
   * @param unfinished blocks that were being written, and go with the next start
   * @param damage a sentence for each thing that is wrong
   */
  public record Content(
      List<Path> directories, long blocks, long bytes, long unfinished, List<String> damage) {}

  /**
   * Reads all blocks and compares them with their checksums. Nothing is changed.
   *
   * @throws IOException when a process has a directory, or it cannot be read
   */
  public Content verify() throws IOException {
    long blocks = 0;
    long bytes = 0;
    long unfinished = 0;
    List<String> damage = new ArrayList<>();
    for (Path directory : directories) {
      if (!Files.isDirectory(directory)) {
        damage.add("there is no directory " + directory);
        continue;
      }
      try (DirectoryLock lock = DirectoryLock.acquire(directory)) {
        for (Path file : files(lock.directory())) {
          SegmentFileName name = SegmentFileName.parse(name(file));
          switch (name.kind()) {
            case SEALED, SHARED -> {
              blocks++;
              bytes += Files.size(file);
              BlockFileCheck.damage(file, name).ifPresent(damage::add);
            }
            case OPEN, LENT -> unfinished++;
            case COPY, FREE, LOCK -> {}
            case FOREIGN -> damage.add("no file of a worker: " + file);
          }
        }
      }
    }
    return new Content(directories, blocks, bytes, unfinished, damage);
  }

  /**
   * Removes all blocks, and makes the directories that are missing.
   *
   * @param force whether blocks that are there go
   * @return the directories
   * @throws IOException when a process has a directory, or blocks are there and are not to go
   */
  public List<Path> format(boolean force) throws IOException {
    List<DirectoryLock> locks = new ArrayList<>();
    try {
      for (Path directory : directories) {
        locks.add(DirectoryLock.acquire(directory));
      }
      for (DirectoryLock lock : locks) {
        format(lock.directory(), force);
      }
    } finally {
      for (DirectoryLock lock : locks) {
        lock.close();
      }
    }
    return directories;
  }

  private static void format(Path directory, boolean force) throws IOException {
    for (Path file : files(directory)) {
      SegmentFileName.Kind kind = SegmentFileName.parse(name(file)).kind();
      boolean isBlock = kind != SegmentFileName.Kind.LOCK && kind != SegmentFileName.Kind.FOREIGN;
      if (isBlock && !force) {
        throw new IOException("there are blocks in " + directory + ": say so if they are to go");
      }
      if (isBlock) {
        Files.delete(file);
      }
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static String name(Path file) {
    return file.getFileName().toString();
  }
}
