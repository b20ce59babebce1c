package dev.sailfish.lineage.qfs.append;

import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.wire.QfsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The operations of QFS that one appender needs. Each call blocks until it is answered or has
 * failed; for one thread at a time.
 *
 * <p>All of them throw {@link QfsException} when the server has answered with an error, and another
 * {@link IOException} when there was no answer: then nobody knows what the server did.
 */
interface AppendCalls {
  /** {@code offset} of {@link #allocate}: the chunk of the file that takes appends now. */
  long ANY_CHUNK = -1;

  /**
   * Asks the metaserver for a chunk that takes appends; the first of its servers takes them.
   *
   * @param offset {@link #ANY_CHUNK}, or the first offset in the file at which the chunk may begin
   * @param bytes that will be reserved
   */
  ChunkInfo allocate(long offset, int bytes) throws IOException;

  /** Gets a write id from each server of the chunk. */
  WriteIds writeIds(ChunkInfo chunk) throws IOException;

  /** Sets more room of the chunk aside, at its first server, for as long as it is connected. */
  void reserve(ChunkInfo chunk, WriteIds ids, int bytes) throws IOException;

  /**
   * Appends all bytes between position and limit, which are not changed, to all replicas.
   *
   * @return once all servers have them
   */
  Appended append(ChunkInfo chunk, WriteIds ids, ByteBuffer bytes) throws IOException;

  /**
   * What one server knows of the last append with its write id. No append with this write id can
   * begin after that.
   *
   * @param server number of the server in the chunk's list
   */
  OpStatus status(ChunkInfo chunk, WriteIds ids, int server) throws IOException;

  /** Gives the write ids back. */
  void close(ChunkInfo chunk, WriteIds ids) throws IOException;

  /** Gives back what the appender has held so far in this process, such as a connection. */
  void release();

  /**
   * @param ids one for each server of the chunk, in their order
   * @param sequence number of the request that asked for them
   */
  record WriteIds(List<Long> ids, long sequence) {
    public WriteIds {
      ids = List.copyOf(ids);
    }
  }

  /**
   * @param sequence number of the request
   * @param offset of the first byte in the chunk
   */
  record Appended(long sequence, long offset) {}

  /**
   * @param version of the chunk
   * @param sequence number of the last request that the server got with this write id
   * @param status how it ended: 0 when it is in the chunk, EAGAIN's number while that is open, or
   *     another negative number when it is not
   * @param offset of its first byte in the chunk, if it was an append
   * @param length of its bytes
   * @param readOnly whether later appends with this write id are refused
   */
  record OpStatus(
      long version, long sequence, int status, long offset, long length, boolean readOnly) {}
}
