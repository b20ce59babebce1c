package dev.sailfish.ground.server.daemon;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.server.ServerKeys;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.secret.SecretFile;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.ground.wire.tls.TlsNetwork;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whom a daemon lets in, whether its links are encrypted, and where its web pages are. Files are
 * read when their content is asked for; what cannot be used is an IOException that names the key
 * and the file.
 *
 * @param open whether anyone may connect and do everything
 * @param secretFile with the cluster secret
 * @param tls whether all links are encrypted, in both directions; who speaks without is refused
 * @param tlsServerFile in the format of Hadoop's ssl-server.xml
 * @param tlsClientFile in the format of Hadoop's ssl-client.xml
 * @param webPort of the pages; 0 = any free one
 * @param webTokenFile with the token that requests must bear; absent: anyone may see the pages
 */
public record DaemonSettings(
    ServerKeys keys,
    boolean open,
    Optional<Path> secretFile,
    boolean tls,
    Optional<Path> tlsServerFile,
    Optional<Path> tlsClientFile,
    int webPort,
    Optional<Path> webTokenFile) {

  /**
   * Reads the settings.
   *
   * @param connects whether the daemon connects to other servers
   * @throws IllegalArgumentException when they do not go together
   */
  public static DaemonSettings of(Settings settings, ServerKeys keys, boolean connects) {
    String mode = settings.get(keys.authentication());
    Optional<Path> secretFile = settings.get(keys.secretFile());
    if (mode.equals("secret") && secretFile.isEmpty()) {
      throw settings.wrong(keys.authentication(), "needs " + keys.secretFile());
    }
    boolean tls = settings.get(keys.tls()).equals("required");
    if (tls && !settings.isSet(keys.tlsServerFile())) {
      throw settings.wrong(keys.tls(), "needs " + keys.tlsServerFile());
    }
    if (tls && connects && !settings.isSet(keys.tlsClientFile())) {
      throw settings.wrong(keys.tls(), "needs " + keys.tlsClientFile());
    }
    return new DaemonSettings(
        keys,
        mode.equals(Key.NONE),
        secretFile,
        tls,
        settings.get(keys.tlsServerFile()),
        settings.get(keys.tlsClientFile()),
        settings.get(keys.webPort()),
        settings.get(keys.webTokenFile()));
  }

  /**
   * The name that clients connect to: that of a key, or this host's own.
   *
   * @throws IllegalArgumentException when none is set, and this host does not know its name
   */
  public static String host(Settings settings, Key<String> key) {
    if (!settings.get(key).isEmpty()) {
      return settings.get(key);
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw settings.wrong(key, "must be set: this host does not know its name: " + e.getMessage());
    }
  }

  /**
   * The cluster secret; absent when nobody is authenticated.
   *
   * @throws IOException also when nothing is said of authentication: such a daemon does not start
   */
  public Optional<byte[]> secret() throws IOException {
    if (open) {
      return Optional.empty();
    }
    if (secretFile.isEmpty()) {
      throw new IOException(
          "authentication is not configured: set "
              + keys.secretFile()
              + " to a file with the cluster's secret, or "
              + keys.authentication()
              + "=none to let anyone do everything");
    }
    return Optional.of(ClusterSecret.read(keys.secretFile().name(), secretFile.get()));
  }

  /** With which the daemon connects to other servers of the cluster. */
  public Credentials credentials() throws IOException {
    return secret().map(Credentials::ofCluster).orElseGet(Credentials::none);
  }

  /** What the daemon's ports need; absent when they are not encrypted. */
  public Optional<TlsContext> serverTls() throws IOException {
    return tls
        ? Optional.of(open(keys.tlsServerFile(), tlsServerFile, TlsContext::ofServer))
        : Optional.empty();
  }

  /** What the daemon reaches other servers of the cluster over. */
  public Network network() throws IOException {
    return tls ? open(keys.tlsClientFile(), tlsClientFile, TlsNetwork::open) : Network.SOCKETS;
  }

  /**
   * Whom the daemon trusts of servers that are not Sailfish's, whether its own links are encrypted
   * or not; absent when no file says so.
   */
  public Optional<TlsContext> clientTls() throws IOException {
    return tlsClientFile.isPresent()
        ? Optional.of(open(keys.tlsClientFile(), tlsClientFile, TlsContext::ofClient))
        : Optional.empty();
  }

  /**
   * Reads all files that are named, to see that they can be used.
   *
   * @throws IOException naming the key and the file that cannot
   */
  public void checkFiles() throws IOException {
    secret();
    serverTls();
    clientTls();
    webToken();
  }

  /** The token that {@code /metrics} and {@code /status} ask for; absent when they are open. */
  public Optional<byte[]> webToken() throws IOException {
    return webTokenFile.isEmpty()
        ? Optional.empty()
        : Optional.of(SecretFile.read("web token", keys.webTokenFile().name(), webTokenFile.get()));
  }

  /** Makes something of a file; the text says where it was set, for messages. */
  private interface Opener<T> {
    T open(String setting, SslFile file) throws IOException;
  }

  private static <T> T open(Key<?> key, Optional<Path> set, Opener<T> opener) throws IOException {
    Path file = set.orElseThrow();
    return opener.open(key + "=" + file, SslFile.read(key.name(), file));
  }
}
