package dev.sailfish.lineage.worker.block;

import dev.sailfish.blockstore.BlockStore;
import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.lineage.protocol.BlockTail;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The blocks of a worker, in a store of little memory and a larger disk, without the worker. */
final class BlockFixture implements Closeable {
  static final int MEMORY = 1 << 20;
  static final int DISK = 16 << 20;

  private static final String OWNER = "worker";
  private static final int GROWTH = 4096;

  private final BlockStoreConfig config;
  private BlockStore store;
  private Changes changes;
  private BlockTable blocks;

  BlockFixture(Path root) throws IOException {
    config =
        new BlockStoreConfig(
            List.of(
                new TierConfig(
                    Tier.MEMORY, List.of(new Directory(root.resolve("memory"), MEMORY)), 1, false),
                new TierConfig(
                    Tier.DISK, List.of(new Directory(root.resolve("disk"), DISK)), 1, false)),
            List.of(new OwnerConfig(OWNER, Map.of())),
            GROWTH,
            Duration.ofMinutes(1));
    open();
  }

  private void open() throws IOException {
    store = BlockStore.open(config, System::nanoTime);
    changes = new Changes();
    blocks = new BlockTable(segments(), changes);
  }

  /** As when the process ends and starts again. */
  void reopen() throws IOException {
    store.close();
    open();
  }

  Owner segments() {
    return store.owner(OWNER);
  }

  Changes changes() {
    return changes;
  }

  BlockTable blocks() {
    return blocks;
  }

  Segment segment(BlockId id) {
    return segments().find(id.segment()).orElseThrow();
  }

  /** Writes a block as it comes over the network, and seals it. */
  void write(BlockId id, byte[] content) throws IOException {
    begin(id, content);
    blocks.seal(id, content.length);
  }

  /** The same without the seal. */
  void begin(BlockId id, byte[] content) throws IOException {
    blocks.begin(id, content.length, content.length, false);
    OpenBlock block = blocks.requireOpen(id);
    block.room(0, content.length).put(content);
    block.written(0, content.length, BlockTail.checksums(ByteBuffer.wrap(content)));
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
