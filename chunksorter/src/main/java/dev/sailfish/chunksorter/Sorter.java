package dev.sailfish.chunksorter;

import dev.sailfish.codec.DataCipher;
import dev.sailfish.format.FormatException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Makes SORTED chunks of STABLE ones, one after the other; what {@link ChunkSorter} does, as who
 * gives it work sees it. For one thread, but for {@link #writtenBytes}.
 */
public interface Sorter {
  /** See {@link ChunkSorter#sort(ByteBuffer, int, ByteBuffer, DataCipher)}. */
  SortResult sort(ByteBuffer chunk, int length, ByteBuffer output, DataCipher cipher)
      throws FormatException;

  /**
   * Sorts several chunks of one I-file into one file, in the name of the one with the lowest id.
   *
   * @param chunks each with a block at least
   * @param output with room for {@link ChunkSorter#maxSortedLength(List)}; its content is undefined
   *     after an error
   * @param cipher of the chunks' job; null when they are not encrypted
   * @throws FormatException as of one chunk, naming the chunk that is damaged
   */
  SortResult sortTogether(List<StableChunk> chunks, ByteBuffer output, DataCipher cipher)
      throws FormatException;

  /** See {@link ChunkSorter#index}. */
  SortResult index(ByteBuffer chunk, int length, ByteBuffer output) throws FormatException;

  /** How many bytes of the chunk that is being sorted now are written, 0 in between; any thread. */
  long writtenBytes();
}
