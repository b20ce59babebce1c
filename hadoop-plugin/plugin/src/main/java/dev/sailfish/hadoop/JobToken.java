package dev.sailfish.hadoop;

import dev.sailfish.ground.wire.Evidence;
import dev.sailfish.protocol.client.DelegationEvidence;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;

/** Finds the delegation token in a job's credentials, by which the job is admitted. */
final class JobToken {
  private JobToken() {}

  /**
   * Looks for the metaservers' token: that for one of their addresses, else any of theirs, since an
   * address may have been written in another way when the token was asked for.
   *
   * @return null when the job has none, as without Kerberos
   */
  static Evidence of(Credentials credentials, List<InetSocketAddress> metaservers) {
    Token<?> found = null;
    for (Token<? extends TokenIdentifier> token : credentials.getAllTokens()) {
      if (!SailfishTokenIdentifier.KIND_NAME.equals(token.getKind().toString())) {
        continue;
      }
      found = token;
      if (isFor(token.getService().toString(), metaservers)) {
        break;
      }
    }
    return found == null
        ? null
        : new DelegationEvidence(found.getIdentifier(), found.getPassword());
  }

  private static boolean isFor(String service, List<InetSocketAddress> metaservers) {
    for (InetSocketAddress address : metaservers) {
      if (service.equalsIgnoreCase(address.getHostString() + ":" + address.getPort())) {
        return true;
      }
    }
    return false;
  }
}
