package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;

import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import dev.sailfish.blockstore.file.StoreFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** A store of three tiers, the fast ones smaller, for several owners. */
final class TieredStore implements Closeable {
  private final Path root;
  private final StoreFiles files;
  private final boolean synced;
  private final OwnerConfig[] owners;
  private BlockStore store;

  TieredStore(Path root, StoreFiles files, boolean synced, OwnerConfig... owners)
      throws IOException {
    this.root = root;
    this.files = files;
    this.synced = synced;
    this.owners = owners;
    open();
  }

  void open(OwnerConfig... others) throws IOException {
    List<TierConfig> tiers =
        List.of(
            tier(Tier.MEMORY, 8 * STEP, 1),
            tier(Tier.SSD, 16 * STEP, 2),
            tier(Tier.DISK, 64 * STEP, 1));
    OwnerConfig[] present = others.length == 0 ? owners : others;
    store = BlockStore.open(StoreFixture.config(tiers, present), System::nanoTime, files);
  }

  private TierConfig tier(Tier tier, long bytes, int count) {
    List<Directory> directories = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      directories.add(new Directory(directory(tier, i), bytes / count));
    }
    return new TierConfig(tier, directories, 1.0, synced);
  }

  Path directory(Tier tier, int index) {
    return root.resolve(tier + "-" + index);
  }

  BlockStore store() {
    return store;
  }

  Owner owner() {
    return store.owner(owners[0].name());
  }

  /** Names of all files but locks, over all directories. */
  List<String> fileNames() throws IOException {
    List<String> names = new ArrayList<>();
    for (Tier tier : Tier.values()) {
      for (int i = 0; Files.isDirectory(directory(tier, i)); i++) {
        names.addAll(StoreFixture.fileNames(directory(tier, i)));
      }
    }
    return names.stream().sorted().toList();
  }

  void loseMemory() throws IOException {
    if (Files.isDirectory(directory(Tier.MEMORY, 0))) {
      try (Stream<Path> files = Files.list(directory(Tier.MEMORY, 0))) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** A sealed segment with random content. */
  static Segment sealed(Owner owner, String name, Tier tier, byte[] content, boolean checksum)
      throws IOException {
    Segment segment = owner.allocate(name, Math.max(1, content.length), content.length, tier);
    segment.buffer().put(content);
    if (checksum) {
      segment.sealWithChecksum(content.length);
    } else {
      segment.seal(content.length);
    }
    return segment;
  }

  static byte[] content(Random random, int length) {
    byte[] content = new byte[length];
    random.nextBytes(content);
    return content;
  }

  static byte[] bytes(Segment segment) {
    ByteBuffer buffer = segment.buffer();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  /** Closes it, maybe to open it again. */
  void stop() throws IOException {
    store.close();
  }

  @Override
  public void close() throws IOException {
    stop();
  }
}
