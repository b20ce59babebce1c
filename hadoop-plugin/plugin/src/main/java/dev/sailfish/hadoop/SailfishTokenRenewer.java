package dev.sailfish.hadoop;

import dev.sailfish.ground.wire.Network;
import java.io.IOException;
import java.time.Instant;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenRenewer;

/**
 * Answers Hadoop's question how a delegation token of the metaserver is renewed: it is not, and
 * need not be. So the ResourceManager takes care of none, with this class on its class path or
 * without.
 */
public final class SailfishTokenRenewer extends TokenRenewer {
  @Override
  public boolean handleKind(Text kind) {
    return SailfishTokenIdentifier.KIND.equals(kind);
  }

  /** False: nobody has to renew it, nor to cancel it. */
  @Override
  public boolean isManaged(Token<?> token) {
    return false;
  }

  /** Changes nothing: a token is good until it expires, which is the answer. */
  @Override
  public long renew(Token<?> token, Configuration conf) throws IOException {
    SailfishTokenIdentifier identifier = SailfishTokenIdentifier.of(token);
    if (identifier.expiresMs() <= Network.SOCKETS.wallMs()) {
      throw new IOException(
          "delegation token has expired at "
              + Instant.ofEpochMilli(identifier.expiresMs())
              + " and cannot be renewed: "
              + identifier);
    }
    return identifier.expiresMs();
  }

  /** Does nothing: metaservers keep no list of tokens, and this one ends when it expires. */
  @Override
  public void cancel(Token<?> token, Configuration conf) {}
}
