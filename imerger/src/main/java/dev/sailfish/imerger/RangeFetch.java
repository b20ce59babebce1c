package dev.sailfish.imerger;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.ReadRangeRequest;
import dev.sailfish.protocol.wire.ReadRangeResponse;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads blocks of one run by key. */
final class RangeFetch extends Fetch {
  private final SortedChunk chunk;
  private final int run;
  private final byte[] lower;
  private final byte[] upper;
  private final int fromEntry;
  private final int maxBytes;
  private byte[] bytes = new byte[0];
  private int nextEntry;

  RangeFetch(SortedChunk chunk, int run, byte[] lower, byte[] upper, int fromEntry, int maxBytes) {
    this.chunk = chunk;
    this.run = run;
    this.lower = lower;
    this.upper = upper;
    this.fromEntry = fromEntry;
    this.maxBytes = maxBytes;
  }

  @Override
  void request(Connection connection) throws IOException {
    bytes = new byte[0];
    ReadRangeRequest request =
        ReadRangeRequest.newBuilder()
            .setJob(chunk.job())
            .setChunk(chunk.id())
            .setRun(run)
            .setLowerLength(lower.length)
            .setHasUpper(upper != null)
            .setFromEntry(fromEntry)
            .setMaxBytes(maxBytes)
            .build();
    if (upper == null) {
      connection.send(IfileService.READ_RANGE, request, this, ByteBuffer.wrap(lower));
    } else {
      connection.send(
          IfileService.READ_RANGE, request, this, ByteBuffer.wrap(lower), ByteBuffer.wrap(upper));
    }
  }

  @Override
  long chunk() {
    return chunk.id();
  }

  @Override
  public ByteBuffer payload(ByteBuffer header, int length) {
    bytes = new byte[length];
    return ByteBuffer.wrap(bytes);
  }

  @Override
  void finish(ByteBuffer header) throws IOException {
    nextEntry = ReadRangeResponse.parser().parseFrom(header).getNextEntry();
    if (nextEntry != 0 && nextEntry <= fromEntry) {
      throw new IOException(
          "range of chunk "
              + Long.toHexString(chunk.id())
              + " goes back: from entry="
              + fromEntry
              + " next entry="
              + nextEntry);
    }
    chunk.countRead(bytes.length);
  }

  /** Whole blocks, back to back. */
  byte[] bytes() {
    return bytes;
  }

  /** Where to go on, or 0 at the end of the range. */
  int nextEntry() {
    return nextEntry;
  }
}
