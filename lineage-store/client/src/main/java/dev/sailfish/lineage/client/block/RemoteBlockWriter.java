package dev.sailfish.lineage.client.block;

import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.FileChecksum;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.AbandonBlockRequest;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.SealBlockRequest;
import dev.sailfish.lineage.protocol.wire.SealBlockResponse;
import dev.sailfish.lineage.protocol.wire.WriteBlockRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** Sends a block to a worker, some pieces ahead of its answers. */
final class RemoteBlockWriter implements BlockWriter {
  private static final int PIECES_AHEAD = 4;

  private final WorkerCall worker;
  private final BlockName name;
  private final FileChecksum sum;
  private final Deque<PayloadReply> unanswered = new ArrayDeque<>();
  private long length;
  private boolean ended;

  /**
   * @param worker closed with this object
   * @param sum of the file, gets the block's
   */
  RemoteBlockWriter(WorkerCall worker, BlockName name, FileChecksum sum) {
    this.sum = sum;
    this.worker = worker;
    this.name = name;
  }

  @Override
  public void write(ByteBuffer bytes) throws IOException {
    WriteBlockRequest.Builder header =
        WriteBlockRequest.newBuilder().setName(name).setOffset(length);
    int[] sums = BlockTail.checksums(bytes);
    for (int checksum : sums) {
      header.addChecksums(checksum);
    }
    sum.add(sums);
    awaitAnswers(PIECES_AHEAD - 1);
    length += bytes.remaining();
    PayloadReply reply = new PayloadReply(0);
    unanswered.addLast(reply);
    worker.connection().send(WorkerService.WRITE, header.build(), reply, bytes);
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

  @Override
  public int seal() throws IOException {
    awaitAnswers(0);
    SealBlockResponse sealed =
        worker.ask(
            WorkerService.SEAL,
            SealBlockRequest.newBuilder().setName(name).setLength(length).build(),
            SealBlockResponse.parser());
    ended = true;
    return sealed.getPlace();
  }

  @Override
  public void close() {
    try (worker) {
      if (!ended) {
        ended = true;
        worker.ask(
            WorkerService.ABANDON, AbandonBlockRequest.newBuilder().setName(name).build(), null);
      }
    } catch (IOException e) {
      ended = true; // the worker drops the block with the file
    }
  }
}
