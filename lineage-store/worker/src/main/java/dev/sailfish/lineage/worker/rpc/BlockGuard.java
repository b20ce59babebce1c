package dev.sailfish.lineage.worker.rpc;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.BlockToken;
import dev.sailfish.lineage.protocol.BlockToken.Access;
import dev.sailfish.lineage.protocol.BlockTokenKey;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.worker.LineageWorkerMetric;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Lets users at the blocks for which they have a block token, and the cluster at all. A token's
 * code is checked once; what it says is looked at with each request. Thread-safe.
 */
public final class BlockGuard {
  private static final int MOST_KNOWN = 20_000;

  private final Optional<BlockTokenKey> key;
  private final LongSupplier wallMs;
  private final Metrics<LineageWorkerMetric> metrics;

  /** Tokens whose code was right. */
  private final Map<ByteString, BlockToken> known = new ConcurrentHashMap<>();

  /**
   * @param key absent: nobody is authenticated, and everybody may do everything
   * @param wallMs milliseconds since 1970
   */
  public BlockGuard(
      Optional<BlockTokenKey> key, LongSupplier wallMs, Metrics<LineageWorkerMetric> metrics) {
    this.key = key;
    this.wallMs = wallMs;
    this.metrics = metrics;
  }

  /** What a request says that names a file alone. */
  static BlockName ofFile(long fid, ByteString token) {
    return BlockName.newBuilder().setFid(fid).setToken(token).build();
  }

  /** An action that needs a token which is good now. */
  <Q> Routes.Action<Q> fresh(Access access, Function<Q, BlockName> name, Routes.Action<Q> action) {
    return (request, asked) -> {
      require(request, name.apply(asked), access, true);
      action.run(request, asked);
    };
  }

  /** An action that ends what a good token has begun: it may have expired meanwhile. */
  <Q> Routes.Action<Q> begun(Access access, Function<Q, BlockName> name, Routes.Action<Q> action) {
    return (request, asked) -> {
      require(request, name.apply(asked), access, false);
      action.run(request, asked);
    };
  }

  /** The same, for bytes that follow. */
  <Q> Routes.SinkOpener<Q> begunSink(
      Access access, Function<Q, BlockName> name, Routes.SinkOpener<Q> opener) {
    return (request, asked, length) -> {
      require(request, name.apply(asked), access, false);
      return opener.open(request, asked, length);
    };
  }

  private void require(Request request, BlockName name, Access access, boolean isToBeFresh)
      throws RequestRefusedException {
    String user = request.principal().user();
    if (user.isEmpty() || key.isEmpty()) {
      return;
    }
    try {
      check(user, name, access, isToBeFresh);
    } catch (RequestRefusedException e) {
      metrics.increment(LineageWorkerMetric.TOKENS_REFUSED);
      throw e;
    }
  }

  /**
   * Looks at the token of a user's request; there must be a key.
   *
   * @param name what the request is for, with its token
   * @param isToBeFresh whether it must not have expired
   * @throws RequestRefusedException FORBIDDEN, or TOKEN_EXPIRED
   */
  public void check(String user, BlockName name, Access access, boolean isToBeFresh)
      throws RequestRefusedException {
    BlockToken token = token(user, name);
    boolean isForThis =
        token.user().equals(user) && token.fid() == name.getFid() && token.access() == access;
    if (!isForThis) {
      throw new RequestRefusedException(
          Status.FORBIDDEN,
          "the block token is for user='%s' access=%s fid=%016x, and user='%s' asks for %s of %016x"
              .formatted(token.user(), token.access(), token.fid(), user, access, name.getFid()));
    }
    if (isToBeFresh && wallMs.getAsLong() >= token.expiresMs()) {
      throw new RequestRefusedException(
          Status.TOKEN_EXPIRED,
          "the block token of user='%s' for fid=%016x has expired: the master gives a new one"
              .formatted(user, name.getFid()));
    }
  }

  private BlockToken token(String user, BlockName name) throws RequestRefusedException {
    ByteString bytes = name.getToken();
    BlockToken token = known.get(bytes);
    if (token != null) {
      return token;
    }
    if (bytes.isEmpty()) {
      throw new RequestRefusedException(
          Status.FORBIDDEN,
          "user='%s' has no block token for fid=%016x: the master gives one to who opens the file"
              .formatted(user, name.getFid()));
    }
    try {
      token = key.orElseThrow().open(bytes.toByteArray());
    } catch (IOException e) {
      throw new RequestRefusedException(Status.FORBIDDEN, e.getMessage());
    }
    if (known.size() >= MOST_KNOWN) {
      known.clear();
    }
    known.put(bytes, token);
    return token;
  }
}
