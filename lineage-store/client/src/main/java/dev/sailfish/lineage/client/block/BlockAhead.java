package dev.sailfish.lineage.client.block;

import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.lineage.protocol.FileChecksum;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.AbandonBlockRequest;
import dev.sailfish.lineage.protocol.wire.BeginBlockRequest;
import dev.sailfish.lineage.protocol.wire.BeginBlockResponse;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A block that a worker on this host was asked to begin, and whose answer nobody has waited for
 * yet: it comes while the master is asked for the file. For one thread.
 */
public final class BlockAhead implements Closeable {
  private final WorkerCall call;
  private final BeginBlockRequest asked;
  private final PayloadReply begun = new PayloadReply(0);
  private boolean ended;

  /**
   * @param call this object's, until a writer takes it
   */
  BlockAhead(WorkerCall call, BeginBlockRequest asked) throws IOException {
    this.call = call;
    this.asked = asked;
    call.connection().send(WorkerService.BEGIN, asked, begun);
  }

  /** Who was asked. */
  public WorkerAddress worker() {
    return call.worker();
  }

  /**
   * Waits for the answer. This object is of no use after that, unless it fails: then it is to be
   * closed.
   *
   * @param sum of the file, gets the block's
   */
  LocalBlockWriter writer(FileChecksum sum) throws IOException {
    Path path = Path.of(await().getPath());
    LocalBlockWriter writer =
        new LocalBlockWriter(
            call, asked.getName(), path, asked.getCapacity(), asked.getRoom(), sum);
    ended = true;
    return writer;
  }

  private BeginBlockResponse await() throws IOException {
    while (!begun.ended()) {
      call.connection().poll();
    }
    if (begun.error() != null) {
      throw begun.error();
    }
    return BeginBlockResponse.parseFrom(begun.header());
  }

  /** Gives the block up if no writer has taken it. */
  @Override
  public void close() {
    if (ended) {
      return;
    }
    ended = true;
    try (call) {
      await();
      AbandonBlockRequest abandon =
          AbandonBlockRequest.newBuilder().setName(asked.getName()).build();
      call.ask(WorkerService.ABANDON, abandon, null);
    } catch (IOException e) {
      ended = true; // the worker has none, or drops it with the id
    }
  }
}
