package dev.sailfish.chunkserver;

import dev.sailfish.blockstore.BlockStoreConfig;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.sort.SorterPool;
import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SorterConfig;
import dev.sailfish.ground.server.metrics.Metrics;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** A table of chunks in a store of 16 MiB, without a server; chunks are sorted when it is said. */
public final class TestTable implements Closeable {
  private final ChunkSorter sorter = new ChunkSorter(new SorterConfig(1 << 20, 64 << 10));
  private final Metrics<ChunkserverMetric> metrics = new Metrics<>(ChunkserverMetric.class);
  private final TestStore store;
  private final SorterPool sorters;
  private final ChunkTable chunks;

  /**
   * @param maxChunks how many there may be
   */
  public TestTable(Path directory, int maxChunks) throws IOException {
    store = new TestStore(directory, 16 << 20, BlockStoreConfig.DEFAULT_GROWTH_BYTES);
    sorters = new SorterPool(0, () -> sorter, (job, asked) -> null, store.chunks(), metrics);
    chunks = new ChunkTable(store.chunks(), sorters.queue(), metrics, maxChunks, () -> 0);
  }

  public ChunkTable chunks() {
    return chunks;
  }

  public Metrics<ChunkserverMetric> metrics() {
    return metrics;
  }

  /** Sorts the chunk that is next. */
  public void sortNext() {
    sorters.sortNext(sorter);
  }

  @Override
  public void close() throws IOException {
    sorters.close();
    store.close();
  }
}
