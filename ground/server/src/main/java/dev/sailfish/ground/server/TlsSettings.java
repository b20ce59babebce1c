package dev.sailfish.ground.server;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.ground.wire.tls.TlsNetwork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether a daemon's links are encrypted, as its configuration says. Where it is required all are,
 * in both directions, and whoever speaks without TLS is refused.
 *
 * @param serverFile in the format of Hadoop's ssl-server.xml
 * @param clientFile in the format of Hadoop's ssl-client.xml
 */
public record TlsSettings(
    ServerKeys keys, boolean required, Optional<Path> serverFile, Optional<Path> clientFile) {

  /**
   * Reads the settings.
   *
   * @param connects whether the daemon connects to other servers
   * @throws IllegalArgumentException when a file is missing
   */
  public static TlsSettings of(Settings settings, ServerKeys keys, boolean connects) {
    TlsSettings tls =
        new TlsSettings(
            keys,
            settings.get(keys.tls()).equals("required"),
            settings.get(keys.tlsServerFile()),
            settings.get(keys.tlsClientFile()));
    if (tls.required && tls.serverFile.isEmpty()) {
      throw settings.wrong(keys.tls(), "needs " + keys.tlsServerFile());
    }
    if (tls.required && connects && tls.clientFile.isEmpty()) {
      throw settings.wrong(keys.tls(), "needs " + keys.tlsClientFile());
    }
    return tls;
  }

  /**
   * What the daemon's ports need; absent when they are not encrypted.
   *
   * @throws IOException when the file, or what it names, cannot be used
   */
  public Optional<TlsContext> server() throws IOException {
    if (!required) {
      return Optional.empty();
    }
    Path file = serverFile.orElseThrow();
    return Optional.of(
        TlsContext.ofServer(setting(keys.tlsServerFile(), file), read(keys.tlsServerFile(), file)));
  }

  /**
   * What the daemon reaches other servers over.
   *
   * @throws IOException when the file, or what it names, cannot be used
   */
  public Network network() throws IOException {
    if (!required) {
      return Network.SOCKETS;
    }
    Path file = clientFile.orElseThrow();
    return TlsNetwork.open(setting(keys.tlsClientFile(), file), read(keys.tlsClientFile(), file));
  }

  /**
   * Whom the daemon trusts of servers that are not Sailfish's, whether its own links are encrypted
   * or not; absent when no file says so.
   *
   * @throws IOException when the file, or what it names, cannot be used
   */
  public Optional<TlsContext> client() throws IOException {
    if (clientFile.isEmpty()) {
      return Optional.empty();
    }
    Path file = clientFile.get();
    return Optional.of(
        TlsContext.ofClient(setting(keys.tlsClientFile(), file), read(keys.tlsClientFile(), file)));
  }

  private static String setting(Key<?> key, Path file) {
    return key + "=" + file;
  }

  private static SslFile read(Key<?> key, Path file) throws IOException {
    return SslFile.read(key.name(), file);
  }
}
