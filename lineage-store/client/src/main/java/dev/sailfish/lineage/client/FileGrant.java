package dev.sailfish.lineage.client;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.wire.BlockName;
import java.io.IOException;

/** What lets this client at the blocks of one file; names them for workers. Thread-safe. */
final class FileGrant {
  private final long fid;
  private final long attempt;
  private final Renewal renewal;
  private volatile ByteString token;

  /** Asks the master for another token. */
  @FunctionalInterface
  interface Renewal {
    /** Waits for it. */
    ByteString ask() throws IOException;
  }

  /**
   * @param token as the master has given it; empty: none is needed
   * @param renewal gets another one
   */
  FileGrant(long fid, ByteString token, Renewal renewal) {
    this(fid, 0, token, renewal);
  }

  /**
   * @param attempt of a file that is written again, which one it is; otherwise 0
   */
  FileGrant(long fid, long attempt, ByteString token, Renewal renewal) {
    this.fid = fid;
    this.attempt = attempt;
    this.token = token;
    this.renewal = renewal;
  }

  /** Whether a worker has refused something because a token had expired. */
  static boolean isExpired(Throwable failure) {
    return failure instanceof RemoteException refusal && refusal.status() == Status.TOKEN_EXPIRED;
  }

  /** How a worker is told which block. */
  BlockName name(int block) {
    return BlockName.newBuilder()
        .setFid(fid)
        .setBlock(block)
        .setToken(token)
        .setAttempt(attempt)
        .build();
  }

  /** The master has given another one. */
  void renewed(ByteString by) {
    token = by;
  }

  /** Something that a worker is asked for. */
  @FunctionalInterface
  interface Asking<T> {
    /** Asks, with the token that there is now. */
    T ask() throws IOException;
  }

  /** Asks once more, with another token, when the first one has expired. */
  <T> T with(Asking<T> asking) throws IOException {
    try {
      return asking.ask();
    } catch (IOException e) {
      if (!isExpired(e)) {
        throw e;
      }
      renewed(renewal.ask());
      return asking.ask();
    }
  }
}
