package dev.sailfish.imerger;

import dev.sailfish.format.ChunkTail;
import dev.sailfish.format.FormatException;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.SortWait;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Waits until a chunk is sorted and takes its tail. */
final class TailFetch extends Fetch {
  private static final int MAX_TAIL_LENGTH = 256 << 20;

  private final MergeSession session;
  private final AwaitSortedRequest request;
  private final boolean keepsKeys;
  private byte[] bytes = new byte[0];
  private ChunkIndex index;
  private FormatException damage;
  private SortWait wait;

  TailFetch(MergeSession session, long chunk) {
    this.session = session;
    keepsKeys = session.readsByKey();
    request =
        AwaitSortedRequest.newBuilder()
            .setJob(session.job())
            .setChunk(chunk)
            .setDeadlineMs(session.sortedDeadlineMs())
            .setPlace(true)
            .build();
  }

  @Override
  void request(Connection connection) throws IOException {
    connection.send(IfileService.AWAIT_SORTED, request, this);
  }

  @Override
  long chunk() {
    return request.getChunk();
  }

  @Override
  public ByteBuffer payload(ByteBuffer header, int length) throws IOException {
    if (length > MAX_TAIL_LENGTH) {
      throw new IOException(
          "tail of chunk "
              + Long.toHexString(request.getChunk())
              + " is too long: length="
              + length
              + " limit="
              + MAX_TAIL_LENGTH);
    }
    bytes = new byte[length];
    return ByteBuffer.wrap(bytes);
  }

  @Override
  void finish(ByteBuffer header) throws IOException {
    if (bytes.length == 0) {
      AwaitSortedResponse answer = AwaitSortedResponse.parser().parseFrom(header);
      if (answer.getNotSorted()) {
        needsTime(answer);
        return;
      }
    }
    try {
      index = new ChunkIndex(ChunkTail.parse(ByteBuffer.wrap(bytes), bytes.length), keepsKeys);
      damage = null;
    } catch (FormatException e) {
      damage = e;
    }
    bytes = new byte[0];
  }

  private void needsTime(AwaitSortedResponse answer) {
    needsTime();
    long now = session.config().network().nanoTime();
    if (wait == null) {
      wait = new SortWait(session.patience(), session.sortWaitNs(), now);
    }
    wait.answered(answer, now);
    session.logWait(link(), wait);
  }

  @Override
  SortWait sortWait() {
    return wait;
  }

  /** The index in the tail. */
  ChunkIndex index() throws FormatException {
    if (damage != null) {
      throw damage;
    }
    return index;
  }
}
