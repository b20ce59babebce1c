package dev.sailfish.lineage.client.block;

import dev.sailfish.ground.wire.Exchange;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.ReadBlockRequest;
import dev.sailfish.lineage.protocol.wire.ReadBlockResponse;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** Reads a block over the network, some pieces ahead. */
final class RemoteBlockReader implements BlockReader {
  private static final int PIECE = 1 << 20;
  private static final int PIECES_AHEAD = 4;

  private final WorkerCall worker;
  private final BlockName name;
  private final long length;

  /**
   * @param worker closed with this object
   * @param length of the block, as the master says
   */
  RemoteBlockReader(WorkerCall worker, BlockName name, long length) {
    this.worker = worker;
    this.name = name;
    this.length = length;
  }

  /** The answer for one piece, straight into the caller's memory. */
  private static final class Piece implements Exchange {
    private final long offset;
    private final ByteBuffer into;
    private byte[] header;
    private IOException failure;

    Piece(long offset, ByteBuffer into) {
      this.offset = offset;
      this.into = into;
    }

    @Override
    public ByteBuffer payload(ByteBuffer replyHeader, int count) throws IOException {
      if (count != into.remaining()) {
        throw new EOFException(
            "the worker gave %d bytes at %d, not %d".formatted(count, offset, into.remaining()));
      }
      return into.duplicate();
    }

    @Override
    public void done(ByteBuffer replyHeader) {
      header = new byte[replyHeader.remaining()];
      replyHeader.duplicate().get(header);
    }

    @Override
    public void failed(RemoteException refusal) {
      failure = refusal;
    }

    void verify(BlockName name) throws IOException {
      if (failure != null) {
        throw failure;
      }
      ReadBlockResponse response = ReadBlockResponse.parseFrom(header);
      int[] sums = response.getChecksumsList().stream().mapToInt(sum -> sum).toArray();
      if (sums.length != BlockTail.units(into.remaining())) {
        throw new EOFException("the worker gave checksums of " + sums.length + " units");
      }
      // A block that is nothing but this piece.
      new BlockTail(name.getFid(), name.getBlock(), into.remaining(), sums).verify(0, into);
    }
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    Deque<Piece> ahead = new ArrayDeque<>();
    int asked = into.position();
    int end = into.limit();
    while (asked < end || !ahead.isEmpty()) {
      while (asked < end && ahead.size() < PIECES_AHEAD) {
        int count = Math.min(PIECE, end - asked);
        Piece piece = new Piece(offset + asked - into.position(), into.slice(asked, count));
        ReadBlockRequest request =
            ReadBlockRequest.newBuilder()
                .setName(name)
                .setOffset(piece.offset)
                .setLength(count)
                .build();
        worker.connection().send(WorkerService.READ, request, piece);
        ahead.addLast(piece);
        asked += count;
      }
      Piece oldest = ahead.peek();
      while (oldest.header == null && oldest.failure == null) {
        worker.connection().poll();
      }
      ahead.poll();
      oldest.verify(name);
    }
    into.position(end);
  }

  @Override
  public ByteBuffer map() throws IOException {
    ByteBuffer whole = ByteBuffer.allocateDirect(Math.toIntExact(length));
    read(0, whole);
    return whole.flip().asReadOnlyBuffer();
  }

  @Override
  public long length() {
    return length;
  }

  /** What is still outstanding after a failure ends with the connection. */
  @Override
  public void close() {
    worker.close();
  }
}
