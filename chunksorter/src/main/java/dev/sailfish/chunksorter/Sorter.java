package dev.sailfish.chunksorter;

import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.FormatException;
import java.nio.ByteBuffer;

/**
 * Makes SORTED chunks of STABLE ones, one after the other; what {@link ChunkSorter} does, as who
 * gives it work sees it. For one thread, but for {@link #writtenBytes}.
 */
public interface Sorter {
  /** See {@link ChunkSorter#sort(ByteBuffer, int, ByteBuffer, DataCipher)}. */
  SortResult sort(ByteBuffer chunk, int length, ByteBuffer output, DataCipher cipher)
      throws FormatException;

  /** See {@link ChunkSorter#index}. */
  SortResult index(ByteBuffer chunk, int length, ByteBuffer output) throws FormatException;

  /** How many bytes of the chunk that is being sorted now are written, 0 in between; any thread. */
  long writtenBytes();
}
