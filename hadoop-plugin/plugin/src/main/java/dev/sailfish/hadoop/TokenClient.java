package dev.sailfish.hadoop;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.kerberos.DelegationTokenRequest;
import dev.sailfish.protocol.IfileService;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.apache.hadoop.security.token.Token;

/** Gets delegation tokens of one metaserver, or of those that stand beside it. */
final class TokenClient {
  private final SailfishJob settings;
  private final String authority;

  /**
   * @param authority host:port of a metaserver; when it is one of those that the job knows, they
   *     are all asked until one answers
   */
  TokenClient(Configuration conf, String authority) {
    this.settings = new SailfishJob(conf);
    this.authority = authority;
  }

  /**
   * Asks for a token for the current user. A user whom another one stands in for (a proxy user)
   * gets it through that one's ticket, if the metaserver lets him.
   */
  Token<SailfishTokenIdentifier> ask(String renewer) throws IOException {
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    boolean proxied = user.getAuthenticationMethod() == AuthenticationMethod.PROXY;
    UserGroupInformation caller = proxied ? user.getRealUser() : user;
    caller.checkTGTAndReloginFromKeytab();
    DelegationTokenRequest request =
        new DelegationTokenRequest(
            IfileService.GET_DELEGATION_TOKEN,
            "client of " + user.getShortUserName(),
            settings.get(JobKey.KERBEROS_PRINCIPAL),
            proxied ? user.getShortUserName() : "",
            renewer == null ? "" : renewer);
    PrivilegedExceptionAction<DelegationTokenRequest.Issued> ask =
        () -> request.ask(settings.network(), addresses(), settings.get(JobKey.DEADLINE));
    DelegationTokenRequest.Issued issued;
    try {
      issued = caller.doAs(ask);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a delegation token was asked for");
    } catch (IOException e) {
      String hint =
          e.getMessage() != null && e.getMessage().contains("Kerberos")
              ? "; is there a ticket (kinit), and is "
                  + JobKey.KERBEROS_PRINCIPAL
                  + "="
                  + settings.get(JobKey.KERBEROS_PRINCIPAL)
                  + " the metaserver's?"
              : "";
      throw new IOException(
          "no delegation token of the Sailfish metaserver at "
              + authority
              + " for user="
              + user.getUserName()
              + ": "
              + e.getMessage()
              + hint,
          e);
    }
    return new Token<>(
        issued.identifier(), issued.password(), SailfishTokenIdentifier.KIND, new Text(authority));
  }

  private List<InetSocketAddress> addresses() {
    InetSocketAddress named = SailfishJob.resolved(HostPort.parse(authority));
    List<InetSocketAddress> known = new ArrayList<>(settings.metaservers());
    int at = known.indexOf(named);
    if (at < 0) {
      return List.of(named);
    }
    Collections.rotate(known, -at);
    return known;
  }
}
