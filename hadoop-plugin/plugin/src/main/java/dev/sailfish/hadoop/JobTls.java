package dev.sailfish.hadoop;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.ground.wire.tls.TlsNetwork;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.ssl.SSLFactory;

/**
 * Where a job's tasks have their keys and trusted certificates from: the same file, found in the
 * same way, as for Hadoop's own encrypted shuffle. Passwords may come from credential providers.
 */
final class JobTls {
  private static final String DEFAULT_FILE = "ssl-client.xml";

  private JobTls() {}

  /** A network whose wires are encrypted, for one task. */
  static Network network(Configuration job) throws IOException {
    String file = job.getTrimmed(SSLFactory.SSL_CLIENT_CONF_KEY, DEFAULT_FILE);
    Configuration keys = new Configuration(false);
    keys.addResource(file);
    return TlsNetwork.open(
        file + " (" + SSLFactory.SSL_CLIENT_CONF_KEY + ", looked for on the class path)",
        key -> value(job, keys, key));
  }

  /** Whether clients need certificates, and which hosts they take, Hadoop asks the job itself. */
  private static String value(Configuration job, Configuration keys, String key)
      throws IOException {
    if (key.equals(TlsContext.REQUIRE_CLIENT_CERT) || key.equals(TlsContext.HOSTNAME_VERIFIER)) {
      return job.getTrimmed(key);
    }
    if (key.endsWith("password")) {
      char[] password = keys.getPassword(key);
      return password == null ? null : new String(password);
    }
    return keys.getTrimmed(key);
  }
}
