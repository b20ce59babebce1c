package dev.sailfish.lineage.worker.block;

import dev.sailfish.ground.wire.Connection;
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

/** A block of another worker. */
public final class PeerBlock implements PieceSource {
  private final Connection connection;
  private final BlockId id;

  /**
   * @param connection to that worker; closed with this object
   */
  public PeerBlock(Connection connection, BlockId id) {
    this.connection = connection;
    this.id = id;
  }

  /** The answer, straight into the caller's memory. */
  private static final class Answer implements Exchange {
    private final ByteBuffer into;
    private byte[] header;
    private IOException failure;

    Answer(ByteBuffer into) {
      this.into = into;
    }

    @Override
    public ByteBuffer payload(ByteBuffer replyHeader, int count) throws IOException {
      if (count != into.remaining()) {
        throw new EOFException("a worker gave " + count + " bytes, not " + into.remaining());
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
  }

  @Override
  public void read(long offset, ByteBuffer into) throws IOException {
    int[] sums = take(offset, into);
    // A block that is nothing but this piece.
    new BlockTail(id.fid(), id.block(), into.remaining(), sums).verify(0, into);
    into.position(into.limit());
  }

  /**
   * Reads bytes, and leaves it to the caller to check them.
   *
   * @param offset in the block, a multiple of the unit
   * @param into filled from its position, which stays, up to its limit: whole units, or up to the
   *     end of the block
   * @return the checksum of each of their units, as the other worker says
   */
  int[] take(long offset, ByteBuffer into) throws IOException {
    ReadBlockRequest asked =
        ReadBlockRequest.newBuilder()
            .setName(BlockName.newBuilder().setFid(id.fid()).setBlock(id.block()))
            .setOffset(offset)
            .setLength(into.remaining())
            .build();
    Answer answer = new Answer(into);
    connection.send(WorkerService.READ, asked, answer);
    while (answer.header == null && answer.failure == null) {
      connection.poll();
    }
    if (answer.failure != null) {
      throw answer.failure;
    }
    int[] sums =
        ReadBlockResponse.parseFrom(answer.header).getChecksumsList().stream()
            .mapToInt(sum -> sum)
            .toArray();
    if (sums.length != BlockTail.units(into.remaining())) {
      throw new EOFException("a worker gave checksums of " + sums.length + " units");
    }
    return sums;
  }

  @Override
  public void close() {
    connection.close();
  }
}
