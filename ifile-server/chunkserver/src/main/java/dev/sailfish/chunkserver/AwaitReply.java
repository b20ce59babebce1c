package dev.sailfish.chunkserver;

import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import dev.sailfish.transport.Request;

/** A reader that waits for a chunk to be sorted; gets the chunk's tail, or the reason why not. */
final class AwaitReply implements ChunkWaiter {
  private final Request request;
  private final Runnable answered;
  private volatile boolean done;

  /**
   * @param answered run once, after the answer was given
   */
  AwaitReply(Request request, Runnable answered) {
    this.request = request;
    this.answered = answered;
  }

  /** Whether the answer was given. */
  boolean isDone() {
    return done;
  }

  @Override
  public void sorted(SortedChunk chunk) {
    done = true;
    answered.run();
    AwaitSortedResponse header =
        AwaitSortedResponse.newBuilder()
            .setStoredBytes(chunk.length())
            .setTailOffset(chunk.tailOffset())
            .build();
    chunk.send(request, header, chunk.tailOffset(), chunk.length() - chunk.tailOffset());
  }

  @Override
  public void refused(Status status, String message) {
    done = true;
    answered.run();
    request.fail(status, message);
  }
}
