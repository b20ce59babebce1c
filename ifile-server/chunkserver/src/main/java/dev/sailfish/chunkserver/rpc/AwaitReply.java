package dev.sailfish.chunkserver.rpc;

import dev.sailfish.chunkserver.chunk.ChunkWaiter;
import dev.sailfish.chunkserver.chunk.SortedChunk;
import dev.sailfish.chunkserver.sort.SortPlace;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import java.util.function.Supplier;

/**
 * A reader that waits for a chunk to be sorted; gets the chunk's tail, or how far the sort is, or
 * the reason why there will be none.
 */
final class AwaitReply implements ChunkWaiter {
  private final Request request;
  private final boolean wantsPlace;
  private final Supplier<SortPlace> place;
  private final Runnable answered;
  private final int againMs;
  private volatile boolean done;

  /**
   * @param wantsPlace whether the reader takes its place in the queue for an answer; others get
   *     DEADLINE
   * @param againMs how much time it is to leave before it asks again, 0 mostly
   * @param place the chunk's, or null when it has none
   * @param answered run once, after the answer was given
   */
  AwaitReply(
      Request request,
      boolean wantsPlace,
      int againMs,
      Supplier<SortPlace> place,
      Runnable answered) {
    this.request = request;
    this.wantsPlace = wantsPlace;
    this.againMs = againMs;
    this.place = place;
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
  public void notSorted(String detail, boolean putOff) {
    if (!wantsPlace) {
      refused(Status.DEADLINE, detail);
      return;
    }
    done = true;
    answered.run();
    AwaitSortedResponse.Builder header =
        AwaitSortedResponse.newBuilder()
            .setNotSorted(true)
            .setPutOff(putOff)
            .setDetail(detail)
            .setAskAgainMs(againMs);
    SortPlace now = place.get();
    if (now != null) {
      header
          .setChunksAhead(now.chunksAhead())
          .setBytesAhead(now.bytesAhead())
          .setChunkBytes(now.chunkBytes())
          .setSortedBytes(now.sortedBytes());
    }
    request.reply(header.build());
  }

  @Override
  public void refused(Status status, String message) {
    done = true;
    answered.run();
    request.fail(status, message);
  }
}
