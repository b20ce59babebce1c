package dev.sailfish.transport;

import dev.sailfish.protocol.client.Network;
import dev.sailfish.protocol.tls.SslFile;
import dev.sailfish.protocol.tls.TlsContext;
import dev.sailfish.protocol.tls.TlsNetwork;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether a daemon's links are encrypted, as its configuration says. With {@link #REQUIRED} all
 * are, in both directions, and whoever speaks without TLS is refused.
 *
 * @param prefix what the names of the daemon's keys begin with
 * @param mode {@link #NONE} or {@link #REQUIRED}
 * @param serverFile path of the file in the format of Hadoop's ssl-server.xml, or empty
 * @param clientFile path of the file in the format of Hadoop's ssl-client.xml, or empty; absent for
 *     a daemon that connects to nobody
 */
public record TlsSettings(
    String prefix, String mode, String serverFile, Optional<String> clientFile) {
  /** Nothing is encrypted. */
  public static final String NONE = "none";

  /** Everything is encrypted. */
  public static final String REQUIRED = "required";

  /** End of the key for {@link #mode}. */
  public static final String MODE_LABEL = "tls";

  /** End of the key for {@link #serverFile}. */
  public static final String SERVER_FILE_LABEL = "tls.server.file";

  /** End of the key for {@link #clientFile}. */
  public static final String CLIENT_FILE_LABEL = "tls.client.file";

  /** Checks the mode and the paths. */
  public TlsSettings {
    if (!mode.equals(NONE) && !mode.equals(REQUIRED)) {
      throw new IllegalArgumentException(
          prefix + MODE_LABEL + "=" + mode + " must be " + REQUIRED + " or " + NONE);
    }
    checkFile(prefix + SERVER_FILE_LABEL, mode, serverFile);
    if (clientFile.isPresent()) {
      checkFile(prefix + CLIENT_FILE_LABEL, mode, clientFile.get());
    }
  }

  private static void checkFile(String key, String mode, String file) {
    if (mode.equals(REQUIRED) && file.isEmpty()) {
      throw new IllegalArgumentException(MODE_LABEL + "=" + REQUIRED + " needs " + key);
    }
    try {
      Path.of(file);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(key + "=" + file + " is no path: " + e.getReason(), e);
    }
  }

  /** Whether links are encrypted. */
  public boolean required() {
    return mode.equals(REQUIRED);
  }

  /**
   * What the daemon's ports need; absent when they are not encrypted.
   *
   * @throws IOException when the file, or what it names, cannot be used
   */
  public Optional<TlsContext> server() throws IOException {
    if (!required()) {
      return Optional.empty();
    }
    String named = prefix + SERVER_FILE_LABEL;
    SslFile file = SslFile.read(named, Path.of(serverFile));
    return Optional.of(TlsContext.ofServer(named + "=" + serverFile, file));
  }

  /**
   * What the daemon reaches other servers over.
   *
   * @throws IOException when the file, or what it names, cannot be used
   */
  public Network network() throws IOException {
    if (!required()) {
      return Network.SOCKETS;
    }
    String path = clientFile.orElseThrow();
    return TlsNetwork.open(clientFileIs(path), readClientFile(path));
  }

  /**
   * Whom the daemon trusts of servers that are not Sailfish's, whether its own links are encrypted
   * or not; absent when no file says so.
   *
   * @throws IOException when the file, or what it names, cannot be used
   */
  public Optional<TlsContext> client() throws IOException {
    String path = clientFile.orElse("");
    return path.isEmpty()
        ? Optional.empty()
        : Optional.of(TlsContext.ofClient(clientFileIs(path), readClientFile(path)));
  }

  private String clientFileIs(String path) {
    return prefix + CLIENT_FILE_LABEL + "=" + path;
  }

  private SslFile readClientFile(String path) throws IOException {
    return SslFile.read(prefix + CLIENT_FILE_LABEL, Path.of(path));
  }
}
