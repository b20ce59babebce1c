package dev.sailfish.lineage.client.block;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Exchange;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.ReadBlockRequest;
import dev.sailfish.lineage.protocol.wire.ReadBlockResponse;
import dev.sailfish.lineage.protocol.wire.ReadUnderFileRequest;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** Reads a block over the network, some pieces ahead: out of a worker, or from below through it. */
final class RemoteBlockReader implements BlockReader {
  private static final int PIECE = 1 << 20;
  private static final int PIECES_AHEAD = 4;

  private final WorkerCall worker;
  private final BlockName name;
  private final long length;
  private final Source source;

  /** Where the bytes come from. */
  @FunctionalInterface
  private interface Source {
    void ask(Connection worker, long offset, int count, Exchange answer) throws IOException;
  }

  private RemoteBlockReader(WorkerCall worker, BlockName name, long length, Source source) {
    this.worker = worker;
    this.name = name;
    this.length = length;
    this.source = source;
  }

  /**
   * A block that a worker has.
   *
   * @param worker closed with this object
   * @param length of the block, as the master says
   */
  static RemoteBlockReader stored(WorkerCall worker, BlockName name, long length) {
    return new RemoteBlockReader(
        worker,
        name,
        length,
        (connection, offset, count, answer) ->
            connection.send(
                WorkerService.READ,
                ReadBlockRequest.newBuilder()
                    .setName(name)
                    .setOffset(offset)
                    .setLength(count)
                    .build(),
                answer));
  }

  /**
   * A block that is below.
   *
   * @param worker that reads there; closed with this object
   * @param length of the block
   * @param start of the block in its file
   */
  static RemoteBlockReader below(WorkerCall worker, BlockName name, long length, long start) {
    return new RemoteBlockReader(
        worker,
        name,
        length,
        (connection, offset, count, answer) ->
            connection.send(
                WorkerService.READ_BELOW,
                ReadUnderFileRequest.newBuilder()
                    .setFid(name.getFid())
                    .setToken(name.getToken())
                    .setOffset(start + offset)
                    .setLength(count)
                    .build(),
                answer));
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
        source.ask(worker.connection(), piece.offset, count, piece);
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
  public ByteBuffer map(long offset, int count) throws IOException {
    int before = (int) (offset % BlockTail.UNIT);
    long start = offset - before;
    long end = Math.min(length, start + (long) BlockTail.units(before + count) * BlockTail.UNIT);
    ByteBuffer units = ByteBuffer.allocateDirect(Math.toIntExact(end - start));
    read(start, units);
    return units.slice(before, count).asReadOnlyBuffer();
  }

  @Override
  public boolean rest() {
    return false;
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
