package dev.sailfish.lineage.hadoop;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.token.DelegationToken;
import java.io.IOException;
import java.time.Instant;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenRenewer;

/**
 * Answers Hadoop's question how a delegation token of the store is renewed: it is not, and need not
 * be. So the ResourceManager takes care of none, with this class on its class path or without.
 */
public final class StoreTokenRenewer extends TokenRenewer {
  @Override
  public boolean handleKind(Text kind) {
    return StoreTokenIdentifier.KIND.equals(kind);
  }

  /** False: nobody has to renew it, nor to cancel it. */
  @Override
  public boolean isManaged(Token<?> token) {
    return false;
  }

  /** Changes nothing: a token is good until it expires, which is the answer. */
  @Override
  public long renew(Token<?> token, Configuration conf) throws IOException {
    long expiresMs = DelegationToken.of(token.getIdentifier()).expiresMs();
    if (expiresMs <= Network.SOCKETS.wallMs()) {
      throw new IOException(
          "token of the lineage store has expired at "
              + Instant.ofEpochMilli(expiresMs)
              + " and cannot be renewed: get a new one");
    }
    return expiresMs;
  }

  /** Does nothing: masters keep no list of tokens, and this one ends when it expires. */
  @Override
  public void cancel(Token<?> token, Configuration conf) {}
}
