package dev.sailfish.lineage.client.block;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.AbandonCopyRequest;
import dev.sailfish.lineage.protocol.wire.BeginCopyRequest;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.CopyBlockRequest;
import dev.sailfish.lineage.protocol.wire.EndCopyRequest;
import dev.sailfish.lineage.protocol.wire.WriteCopyRequest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Has a worker write the copy of a file below: its bytes, some pieces ahead of the answers, or
 * blocks that workers have. After an exception nothing but {@link #close} is of use: there is no
 * copy. For one thread.
 */
public final class CopyWriter implements Closeable {
  private static final int PIECE = 16 * BlockTail.UNIT;
  private static final int PIECES_AHEAD = 4;

  private final WorkerCall worker;
  private final long fid;
  private final ByteString token;
  private final Deque<PayloadReply> unanswered = new ArrayDeque<>();
  private long length;
  private boolean ended;

  /**
   * Begins the copy.
   *
   * @param worker closed with this object
   * @param name of any block of the file
   */
  CopyWriter(WorkerCall worker, BlockName name) throws IOException {
    this.worker = worker;
    this.fid = name.getFid();
    this.token = name.getToken();
    worker.ask(
        WorkerService.BEGIN_COPY,
        BeginCopyRequest.newBuilder().setFid(fid).setToken(token).build(),
        null);
  }

  /**
   * Writes the next bytes.
   *
   * @param bytes whole units of {@code BlockTail.UNIT}, but for the last call; read to the end, and
   *     not needed any more when this returns
   */
  public void write(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      ByteBuffer piece = bytes.slice(bytes.position(), Math.min(PIECE, bytes.remaining()));
      bytes.position(bytes.position() + piece.remaining());
      WriteCopyRequest.Builder header =
          WriteCopyRequest.newBuilder().setFid(fid).setToken(token).setOffset(length);
      for (int checksum : BlockTail.checksums(piece)) {
        header.addChecksums(checksum);
      }
      awaitAnswers(PIECES_AHEAD - 1);
      length += piece.remaining();
      PayloadReply reply = new PayloadReply(0);
      unanswered.addLast(reply);
      worker.connection().send(WorkerService.WRITE_COPY, header.build(), reply, piece);
    }
  }

  private void awaitAnswers(int most) throws IOException {
    while (!unanswered.isEmpty() && (unanswered.size() > most || unanswered.peek().ended())) {
      PayloadReply oldest = unanswered.peek();
      while (!oldest.ended()) {
        worker.connection().poll();
      }
      unanswered.poll();
      if (oldest.error() != null) {
        throw oldest.error();
      }
    }
  }

  /**
   * The next bytes are a sealed block; waits until they are handed on below.
   *
   * @param place where it is, as the worker has said that sealed it
   * @param count how many bytes it has
   */
  public void block(BlockName name, int place, long count) throws IOException {
    CopyBlockRequest request =
        CopyBlockRequest.newBuilder().setName(name).setPlace(place).setLength(count).build();
    worker.ask(WorkerService.COPY_BLOCK, request, null);
    length += count;
  }

  /** Makes the copy: when this returns it is below, and the master has recorded it. */
  public void end() throws IOException {
    awaitAnswers(0);
    worker.ask(
        WorkerService.END_COPY,
        EndCopyRequest.newBuilder().setFid(fid).setToken(token).setLength(length).build(),
        null);
    ended = true;
  }

  /** Gives the copy up if it is not made. */
  @Override
  public void close() {
    try (worker) {
      if (!ended) {
        ended = true;
        worker.ask(
            WorkerService.ABANDON_COPY,
            AbandonCopyRequest.newBuilder().setFid(fid).setToken(token).build(),
            null);
      }
    } catch (IOException e) {
      ended = true; // the worker gives it up itself when the file is gone
    }
  }
}
