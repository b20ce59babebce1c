package dev.sailfish.blockstore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A small store over real files, with a clock that the test moves. */
final class StoreFixture implements AutoCloseable {
  static final int KIB = 1024;
  static final int STEP = 64 * KIB;

  final Path memory;
  final List<Path> disks;
  final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // nanoTime may wrap around
  private final BlockStoreConfig config;
  private BlockStore store;

  private StoreFixture(Path memory, List<Path> disks, BlockStoreConfig config) throws IOException {
    this.memory = memory;
    this.disks = disks;
    this.config = config;
    reopen();
  }

  /** Memory and disk directories below {@code root}; a negative memory capacity means none. */
  static StoreFixture open(Path root, long memoryBytes, long... diskBytes) throws IOException {
    Path memory = root.resolve("memory");
    List<Path> disks = new ArrayList<>();
    List<BlockStoreConfig.DiskDirectory> places = new ArrayList<>();
    for (long bytes : diskBytes) {
      disks.add(root.resolve("disk" + disks.size()));
      places.add(new BlockStoreConfig.DiskDirectory(disks.get(disks.size() - 1), bytes));
    }
    Optional<Path> tier = memoryBytes < 0 ? Optional.empty() : Optional.of(memory);
    BlockStoreConfig config =
        new BlockStoreConfig(
            tier, Math.max(0, memoryBytes), places, STEP, Duration.ofSeconds(60), 1.0);
    return new StoreFixture(memory, disks, config);
  }

  /**
   * A directory on /dev/shm when there is one, else below {@code fallback}; the caller removes it.
   */
  static Path memoryRoot(Path fallback) throws IOException {
    Path shm = Path.of("/dev/shm");
    return Files.isWritable(shm)
        ? Files.createTempDirectory(shm, "sailfish-test-")
        : Files.createTempDirectory(fallback, "memory-");
  }

  /** Removes what a test left, also when it failed: memory is too dear to leak. */
  static void removeTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> tree = Files.walk(root)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }

  BlockStore store() {
    return store;
  }

  BlockStoreConfig config() {
    return config;
  }

  BlockStore reopen() throws IOException {
    if (store != null) {
      store.close();
    }
    store = BlockStore.open(config, nanos::get);
    return store;
  }

  void advance(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  StoreUsage.DirectoryUsage usage(Path directory) {
    return store.usage().directories().stream()
        .filter(usage -> usage.directory().endsWith(directory.getFileName()))
        .findFirst()
        .orElseThrow();
  }

  static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(f -> !f.getFileName().toString().equals("+lock")).sorted().toList();
    }
  }

  static List<String> fileNames(Path directory) throws IOException {
    return files(directory).stream().map(f -> f.getFileName().toString()).toList();
  }

  static long fileBytes(Path directory) throws IOException {
    return files(directory).stream().mapToLong(StoreFixture::size).sum();
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
