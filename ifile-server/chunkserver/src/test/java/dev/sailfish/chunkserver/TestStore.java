package dev.sailfish.chunkserver;

import dev.sailfish.blockstore.BlockStore;
import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.blockstore.BlockStoreConfig.Directory;
import dev.sailfish.blockstore.BlockStoreConfig.OwnerConfig;
import dev.sailfish.blockstore.BlockStoreConfig.TierConfig;
import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Tier;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A block store with a memory tier only, for chunks without their server. */
public final class TestStore implements Closeable {
  private final BlockStore store;

  public TestStore(Path directory, long memoryBytes, long growthBytes) throws IOException {
    Directory memory = new Directory(directory.resolve("memory"), memoryBytes);
    this.store =
        BlockStore.open(
            new BlockStoreConfig(
                List.of(new TierConfig(Tier.MEMORY, List.of(memory))),
                List.of(new OwnerConfig(ChunkserverConfig.SEGMENT_OWNER, Map.of())),
                growthBytes,
                BlockStoreConfig.DEFAULT_IDLE_RELEASE),
            System::nanoTime);
  }

  public Owner chunks() {
    return store.owner(ChunkserverConfig.SEGMENT_OWNER);
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
