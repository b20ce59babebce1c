package dev.sailfish.imerger.fetch;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.ReadRequest;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads whole, adjacent blocks of a chunk into an array. The array is made when the bytes come,
 * unless one was given.
 */
public final class ReadFetch extends Fetch {
  private final ReadLinks links;
  private final long offset;
  private final int length;
  private final int capacity;
  private byte[] bytes;
  private int start;
  private int received;

  /**
   * @param offset of the first block in the chunk
   * @param length of the blocks in bytes
   * @param capacity length of the array to make, at least {@code length}
   */
  public ReadFetch(ReadLinks links, long chunk, long offset, int length, int capacity) {
    super(chunk);
    this.links = links;
    this.offset = offset;
    this.length = length;
    this.capacity = capacity;
  }

  /** Reads into {@code target} from {@code targetStart} on; the array is lent until completion. */
  public void into(byte[] target, int targetStart) {
    bytes = target;
    start = targetStart;
  }

  @Override
  void request(Connection connection) throws IOException {
    received = 0;
    connection.send(
        IfileService.READ,
        ReadRequest.newBuilder()
            .setJob(links.metaserver.job())
            .setChunk(chunk)
            .setOffset(offset)
            .setLength(length)
            .build(),
        this);
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
  boolean finish(ByteBuffer header) throws IOException {
    checkLength();
    links.countRead(length);
    return true;
  }

  private void checkLength() throws IOException {
    if (received != length) {
      throw new IOException(
          "read of chunk %x offset=%s length=%s was answered with length=%s"
              .formatted(chunk, offset, length, received));
    }
  }

  /** The array with the bytes, when they are there; belongs to the caller from then on. */
  public byte[] bytes() {
    return bytes;
  }

  /** Whether a block of the chunk is among those that are read. */
  public boolean holds(long blockOffset, int blockLength) {
    return blockOffset >= offset && blockOffset + blockLength <= offset + length;
  }

  /** Where in {@link #bytes} the byte at {@code chunkOffset} of the chunk is. */
  public int positionOf(long chunkOffset) {
    return start + (int) (chunkOffset - offset);
  }

  /** Bytes of heap that the array takes or will take. */
  public int capacity() {
    return bytes == null ? capacity : bytes.length;
  }
}
