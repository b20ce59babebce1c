package dev.sailfish.chunkserver.rpc;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkSpec;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.chunk.Reservation;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.AppendRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * Takes one block off the socket: first its header, which is checked before there is a chunk or any
 * room for the block, then the stored bytes, which go straight to their place in the chunk. Used by
 * one I/O thread.
 */
final class AppendSink implements PayloadSink {
  private final ChunkTable chunks;
  private final AppendRequest append;
  private final int payloadLength;
  private final Metrics<ChunkserverMetric> metrics;
  private final ByteBuffer headerBytes = ByteBuffer.allocate(BlockHeader.LENGTH);
  // From when the block's header was taken.
  private Chunk chunk;
  private Reservation reservation;
  private boolean duplicate;

  /**
   * @param append names the chunk
   * @param payloadLength bytes that will come, the block's header among them
   */
  AppendSink(
      ChunkTable chunks,
      AppendRequest append,
      int payloadLength,
      Metrics<ChunkserverMetric> metrics) {
    this.chunks = chunks;
    this.append = append;
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
      chunk.requireNotDeleted();
      reservation.write(piece);
    }
  }

  private void begin() throws IOException {
    BlockHeader block = readHeader();
    if (!chunks.holds(append.getChunk())) {
      // No chunk is made for a block that it would not take.
      requireTaken(ChunkSpec.of(append), block);
    }
    chunk = chunks.forAppend(append);
    requireTaken(chunk.spec(), block);
    reservation = reserve(block);
    if (reservation == null) {
      duplicate = true;
    } else {
      metrics.add(ChunkserverMetric.ARRIVING_BYTES, block.blockLength());
    }
  }

  private void requireTaken(ChunkSpec spec, BlockHeader block) throws RequestRefusedException {
    if (block.blockLength() != payloadLength || !spec.takes(block)) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "not a block for %s: encrypted=%s payload=%s %s"
              .formatted(spec.label(), spec.encrypted(), payloadLength, block));
    }
  }

  private Reservation reserve(BlockHeader block) throws IOException {
    try {
      return chunk.reserve(block);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (RequestRefusedException e) {
      if (e.status() == Status.NO_SPACE) {
        chunks.forgetIfEmpty(chunk);
      }
      throw e;
    }
  }

  private BlockHeader readHeader() throws RequestRefusedException {
    try {
      return BlockHeader.read(headerBytes, 0, BlockHeader.LENGTH);
    } catch (UnsupportedFormatException e) {
      throw new RequestRefusedException(Status.BAD_REQUEST, e.getMessage());
    } catch (FormatException e) {
      metrics.increment(ChunkserverMetric.CORRUPT_APPENDS);
      throw new RequestRefusedException(Status.CORRUPT, label() + " " + e.getMessage());
    }
  }

  private String label() {
    return "job=%s chunk=%x".formatted(append.getJob(), append.getChunk());
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
          Status.BAD_REQUEST, label() + " append without a whole block: payload=" + payloadLength);
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
