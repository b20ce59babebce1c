package dev.sailfish.imerger.fetch;

import dev.sailfish.format.FormatException;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Waits until a chunk is sorted and takes its tail. */
public final class TailFetch extends Fetch {
  private static final int MAX_TAIL_LENGTH = 256 << 20;

  private final ReadLinks links;
  private final AwaitSortedRequest request;
  private final boolean keepsKeys;
  private byte[] bytes = new byte[0];
  private ChunkTail tail;
  private boolean elsewhere;
  private FormatException damage;

  /**
   * @param keepsKeys whether the keys in the index are needed
   * @param shares whether the tail may be left out, if another chunk has the same
   */
  public TailFetch(ReadLinks links, long chunk, boolean keepsKeys, boolean shares) {
    super(chunk);
    this.links = links;
    this.keepsKeys = keepsKeys;
    request =
        AwaitSortedRequest.newBuilder()
            .setJob(links.metaserver.job())
            .setChunk(chunk)
            .setDeadlineMs(links.sortedDeadlineMs())
            .setPlace(true)
            .setShares(shares)
            .build();
  }

  @Override
  void request(Connection connection) throws IOException {
    connection.send(IfileService.AWAIT_SORTED, request, this);
  }

  @Override
  public ByteBuffer payload(ByteBuffer header, int length) throws IOException {
    if (length > MAX_TAIL_LENGTH) {
      throw new IOException(
          "tail of chunk %x is too long: length=%s limit=%s"
              .formatted(chunk, length, MAX_TAIL_LENGTH));
    }
    bytes = new byte[length];
    return ByteBuffer.wrap(bytes);
  }

  @Override
  boolean finish(ByteBuffer header) throws IOException {
    if (bytes.length == 0) {
      AwaitSortedResponse answer = AwaitSortedResponse.parser().parseFrom(header);
      if (answer.getNotSorted()) {
        links.needsTime(this, answer);
        return false;
      }
      elsewhere = answer.getStoredIn() != 0;
      if (elsewhere) {
        return true;
      }
    }
    try {
      tail = ChunkTail.parse(ByteBuffer.wrap(bytes), bytes.length, keepsKeys);
      damage = null;
    } catch (FormatException e) {
      damage = e;
    }
    bytes = new byte[0];
    return true;
  }

  /** Whether the keys in the index are needed. */
  public boolean keepsKeys() {
    return keepsKeys;
  }

  /** Whether the chunk is in the file of another one, whose tail is its own, too. */
  public boolean isElsewhere() {
    return elsewhere;
  }

  /**
   * The tail, when it is there.
   *
   * @throws FormatException when it is damaged, or written by a newer version
   */
  public ChunkTail tail() throws FormatException {
    if (damage != null) {
      throw damage;
    }
    return tail;
  }
}
