package dev.sailfish.hadoop;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.tls.SslSettings;
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
    String file = file(job);
    return TlsNetwork.open(source(file), settings(job, file));
  }

  /** The same keys, for the JDK's own clients. */
  static TlsContext context(Configuration job) throws IOException {
    String file = file(job);
    return TlsContext.ofClient(source(file), settings(job, file));
  }

  private static String file(Configuration job) {
    return job.getTrimmed(SSLFactory.SSL_CLIENT_CONF_KEY, DEFAULT_FILE);
  }

  private static String source(String file) {
    return file + " (" + SSLFactory.SSL_CLIENT_CONF_KEY + ", looked for on the class path)";
  }

  private static SslSettings settings(Configuration job, String file) {
    Configuration keys = new Configuration(false);
    keys.addResource(file);
    return key -> value(job, keys, key);
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
