package dev.sailfish.lineage.hadoop;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.ground.wire.tls.TlsNetwork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.ssl.SSLFactory;

/**
 * Where clients have their keys and trusted certificates from: a file that is named, else the one
 * that Hadoop's own TLS uses, found in the same way. Passwords may come from credential providers.
 */
final class StoreTls {
  private static final String DEFAULT_FILE = "ssl-client.xml";

  private StoreTls() {}

  /**
   * A network whose wires are encrypted.
   *
   * @param file in the format of ssl-client.xml; absent: that of Hadoop
   */
  static Network network(Configuration conf, Optional<Path> file) throws IOException {
    if (file.isPresent()) {
      String key = LineageKey.TLS_FILE.name();
      return TlsNetwork.open(key + "=" + file.get(), SslFile.read(key, file.get()));
    }
    String resource = conf.getTrimmed(SSLFactory.SSL_CLIENT_CONF_KEY, DEFAULT_FILE);
    Configuration keys = new Configuration(false);
    keys.addResource(resource);
    return TlsNetwork.open(
        resource + " (" + SSLFactory.SSL_CLIENT_CONF_KEY + ", looked for on the class path)",
        key -> value(conf, keys, key));
  }

  /** Whether clients need certificates, and which hosts they take, Hadoop asks its own keys. */
  private static String value(Configuration conf, Configuration keys, String key)
      throws IOException {
    if (key.equals(TlsContext.REQUIRE_CLIENT_CERT) || key.equals(TlsContext.HOSTNAME_VERIFIER)) {
      return conf.getTrimmed(key);
    }
    if (key.endsWith("password")) {
      char[] password = keys.getPassword(key);
      return password == null ? null : new String(password);
    }
    return keys.getTrimmed(key);
  }
}
