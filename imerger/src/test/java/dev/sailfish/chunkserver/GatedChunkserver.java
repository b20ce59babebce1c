package dev.sailfish.chunkserver;

import dev.sailfish.chunksorter.ChunkSorter;
import dev.sailfish.chunksorter.SortResult;
import dev.sailfish.chunksorter.Sorter;
import dev.sailfish.chunksorter.StableChunk;
import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.FormatException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A real chunkserver with one sorter that is as slow as a test wants it: it waits for a permit
 * before each sort, or takes a time of its own.
 */
public final class GatedChunkserver implements Closeable {
  private static final int MANY = 1_000_000;
  private static final long LONGEST_MS = 120_000;

  private final Chunkserver server;
  private final Semaphore permits = new Semaphore(0);
  private final List<Integer> begun = new CopyOnWriteArrayList<>();

  private GatedChunkserver(ChunkserverConfig config, long waitMs) throws IOException {
    this.server =
        Chunkserver.start(config, () -> new Gated(new ChunkSorter(config.sorter()), waitMs));
  }

  /** Sorts nothing until {@link #permit}. */
  public static GatedChunkserver start(ChunkserverConfig config) throws IOException {
    return new GatedChunkserver(config, LONGEST_MS);
  }

  /** Takes so long over each sort. */
  public static GatedChunkserver slow(ChunkserverConfig config, long sortMs) throws IOException {
    return new GatedChunkserver(config, sortMs);
  }

  /** Lets so many more sorts begin. */
  public void permit(int sorts) {
    permits.release(sorts);
  }

  /** Lets all sorts begin. */
  public void open() {
    permits.release(MANY);
  }

  /** Partitions of the chunks that were given to the sorter, in that order. */
  public List<Integer> begun() {
    return List.copyOf(begun);
  }

  /** The server itself. */
  public Chunkserver server() {
    return server;
  }

  @Override
  public void close() throws IOException {
    open();
    server.close();
  }

  /** A sorter behind the gate. */
  private final class Gated implements Sorter {
    private final Sorter sorter;
    private final long waitMs;

    Gated(Sorter sorter, long waitMs) {
      this.sorter = sorter;
      this.waitMs = waitMs;
    }

    @Override
    public SortResult sort(ByteBuffer chunk, int length, ByteBuffer output, DataCipher cipher)
        throws FormatException {
      pass(chunk, length);
      return sorter.sort(chunk, length, output, cipher);
    }

    @Override
    public SortResult sortTogether(List<StableChunk> chunks, ByteBuffer output, DataCipher cipher)
        throws FormatException {
      pass(chunks.get(0).bytes(), chunks.get(0).length());
      return sorter.sortTogether(chunks, output, cipher);
    }

    @Override
    public SortResult index(ByteBuffer chunk, int length, ByteBuffer output)
        throws FormatException {
      pass(chunk, length);
      return sorter.index(chunk, length, output);
    }

    @Override
    public long writtenBytes() {
      return 0;
    }

    private void pass(ByteBuffer chunk, int length) throws FormatException {
      begun.add(ChunkHeader.read(chunk, length).partition());
      try {
        boolean permitted = permits.tryAcquire(waitMs, TimeUnit.MILLISECONDS);
        if (!permitted && waitMs == LONGEST_MS) {
          throw new IllegalStateException("no permit in " + LONGEST_MS + " ms");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
