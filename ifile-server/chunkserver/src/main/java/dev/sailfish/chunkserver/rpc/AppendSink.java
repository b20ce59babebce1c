package dev.sailfish.chunkserver.rpc;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.Reservation;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * Takes one block off the socket: first its header, which is checked before any room is taken for
 * the block, then the stored bytes, which go straight to their place in the chunk. Used by one I/O
 * thread.
 */
final class AppendSink implements PayloadSink {
  private final Chunk chunk;
  private final int payloadLength;
  private final Metrics<ChunkserverMetric> metrics;
  private final ByteBuffer headerBytes = ByteBuffer.allocate(BlockHeader.LENGTH);
  private Reservation reservation;
  private boolean duplicate;

  /**
   * @param payloadLength bytes that will come, the block's header among them
   */
  AppendSink(Chunk chunk, int payloadLength, Metrics<ChunkserverMetric> metrics) {
    this.chunk = chunk;
    this.payloadLength = payloadLength;
    this.metrics = metrics;
  }

  @Override
  public void write(ByteBuffer piece) throws IOException {
    if (headerBytes.hasRemaining()) {
      int length = Math.min(headerBytes.remaining(), piece.remaining());
      headerBytes.put(headerBytes.position(), piece, piece.position(), length);
      headerBytes.position(headerBytes.position() + length);
      piece.position(piece.position() + length);
      if (headerBytes.hasRemaining()) {
        return;
      }
      try {
        begin();
      } catch (RequestRefusedException e) {
        metrics.increment(ChunkserverMetric.REFUSED_APPENDS);
        throw e;
      }
    }
    if (reservation != null) {
      reservation.write(piece);
    }
  }

  private void begin() throws IOException {
    BlockHeader block = readHeader();
    if (block.blockLength() != payloadLength || !chunk.spec().takes(block)) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "not a block for %s: encrypted=%s payload=%s %s"
              .formatted(chunk.spec().label(), chunk.spec().encrypted(), payloadLength, block));
    }
    try {
      reservation = chunk.reserve(block);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    if (reservation == null) {
      duplicate = true;
    } else {
      metrics.add(ChunkserverMetric.ARRIVING_BYTES, block.blockLength());
    }
  }

  private BlockHeader readHeader() throws RequestRefusedException {
    try {
      return BlockHeader.read(headerBytes, 0, BlockHeader.LENGTH);
    } catch (UnsupportedFormatException e) {
      throw new RequestRefusedException(Status.BAD_REQUEST, e.getMessage());
    } catch (FormatException e) {
      metrics.increment(ChunkserverMetric.CORRUPT_APPENDS);
      throw new RequestRefusedException(
          Status.CORRUPT, chunk.spec().label() + " " + e.getMessage());
    }
  }

  /**
   * All bytes are here: checks them and makes them the chunk's.
   *
   * @throws RequestRefusedException CORRUPT when they are damaged; whatever else {@link
   *     Chunk#complete} says
   */
  void finish() throws RequestRefusedException {
    if (duplicate) {
      metrics.increment(ChunkserverMetric.DUPLICATES);
      return;
    }
    if (reservation == null || !reservation.isComplete()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          chunk.spec().label() + " append without a whole block: payload=" + payloadLength);
    }
    Reservation arrived = endArrival();
    BlockHeader block = arrived.block();
    if (arrived.checksum() != block.storedChecksum()) {
      metrics.increment(ChunkserverMetric.CORRUPT_APPENDS);
      chunk.abandon(arrived);
      throw new RequestRefusedException(
          Status.CORRUPT,
          ("%s block arrived damaged: map=%s attempt=%s sequence=%s checksum=%x computed=%x")
              .formatted(
                  chunk.spec().label(),
                  block.map(),
                  block.attempt(),
                  block.sequence(),
                  block.storedChecksum(),
                  arrived.checksum()));
    }
    if (chunk.complete(arrived)) {
      metrics.increment(ChunkserverMetric.APPENDS);
      metrics.add(ChunkserverMetric.APPENDED_BYTES, block.blockLength());
    } else {
      metrics.increment(ChunkserverMetric.DUPLICATES);
    }
  }

  private Reservation endArrival() {
    Reservation ended = reservation;
    reservation = null;
    metrics.add(ChunkserverMetric.ARRIVING_BYTES, -ended.block().blockLength());
    return ended;
  }

  @Override
  public void abort() {
    if (reservation != null) {
      metrics.increment(ChunkserverMetric.BROKEN_APPENDS);
      chunk.abandon(endArrival());
    }
  }
}
