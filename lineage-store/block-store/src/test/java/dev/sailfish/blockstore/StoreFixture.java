package dev.sailfish.blockstore;

import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A small store over real files, with a clock that the test moves. */
final class StoreFixture implements AutoCloseable {
  static final int STEP = 64 * 1024;
  static final String OWNER = "chunkserver";
  static final List<Tier> TIERS = List.of(Tier.MEMORY, Tier.DISK);

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
    List<Directory> places = new ArrayList<>();
    for (long bytes : diskBytes) {
      disks.add(root.resolve("disk" + disks.size()));
      places.add(new Directory(disks.get(disks.size() - 1), bytes));
    }
    List<TierConfig> tiers = new ArrayList<>();
    if (memoryBytes >= 0) {
      tiers.add(tier(Tier.MEMORY, List.of(new Directory(memory, memoryBytes))));
    }
    if (!places.isEmpty()) {
      tiers.add(tier(Tier.DISK, places));
    }
    return new StoreFixture(memory, disks, config(tiers));
  }

  /** A tier whose disks may become full. */
  static TierConfig tier(Tier tier, List<Directory> directories) {
    return new TierConfig(tier, directories, 1.0, false);
  }

  static BlockStoreConfig config(List<TierConfig> tiers) {
    return config(tiers, new OwnerConfig(OWNER, Map.of()));
  }

  static BlockStoreConfig config(List<TierConfig> tiers, OwnerConfig... owners) {
    return new BlockStoreConfig(tiers, List.of(owners), STEP, Duration.ofSeconds(60));
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

  /** The one owner. */
  Owner store() {
    return store.owner(OWNER);
  }

  BlockStore blockStore() {
    return store;
  }

  BlockStoreConfig config() {
    return config;
  }

  Owner reopen() throws IOException {
    if (store != null) {
      store.close();
    }
    store = BlockStore.open(config, nanos::get);
    return store();
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
