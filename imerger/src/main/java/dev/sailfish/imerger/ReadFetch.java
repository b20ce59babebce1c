package dev.sailfish.imerger;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.ReadRequest;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads whole, adjacent blocks of a chunk into an array. The array is made when the bytes come,
 * unless one was given.
 */
final class ReadFetch extends Fetch {
  private final SortedChunk chunk;
  private final long offset;
  private final int length;
  private final int capacity;
  private byte[] bytes;
  private int start;
  private int received;

  /**
   * @param capacity length of the array to make, at least {@code length}
   */
  ReadFetch(SortedChunk chunk, long offset, int length, int capacity) {
    this.chunk = chunk;
    this.offset = offset;
    this.length = length;
    this.capacity = Math.max(length, capacity);
  }

  /** Reads into {@code target} from {@code targetStart} on; the array is lent until completion. */
  void into(byte[] target, int targetStart) {
    bytes = target;
    start = targetStart;
  }

  @Override
  void request(Connection connection) throws IOException {
    received = 0;
    connection.send(
        IfileService.READ,
        ReadRequest.newBuilder()
            .setJob(chunk.job())
            .setChunk(chunk.id())
            .setOffset(offset)
            .setLength(length)
            .build(),
        this);
  }

  @Override
  long chunk() {
    return chunk.id();
  }

  @Override
  public ByteBuffer payload(ByteBuffer header, int payloadLength) throws IOException {
    received = payloadLength;
    checkLength();
    if (bytes == null) {
      bytes = new byte[capacity];
    }
    return ByteBuffer.wrap(bytes, start, length);
  }

  @Override
  void finish(ByteBuffer header) throws IOException {
    checkLength();
    chunk.countRead(length);
  }

  private void checkLength() throws IOException {
    if (received != length) {
      throw new IOException(
          "read of chunk %x offset=%s length=%s was answered with length=%s"
              .formatted(chunk.id(), offset, length, received));
    }
  }

  /** The array; the bytes of the chunk's {@link #offset} are at index {@link #start}. */
  byte[] bytes() {
    return bytes;
  }

  int start() {
    return start;
  }

  long offset() {
    return offset;
  }

  /** Bytes of heap that the array takes or will take. */
  int capacity() {
    return bytes == null ? capacity : bytes.length;
  }
}
