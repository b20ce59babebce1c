package dev.sailfish.transport;

import dev.sailfish.protocol.SecretFile;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a daemon has its web pages, and who may see them.
 *
 * @param prefix what the names of the daemon's keys begin with
 * @param port of the pages; 0 = any free one
 * @param tokenFile path of the file with the token that requests must bear, or empty: everybody may
 *     see the pages
 */
public record WebSettings(String prefix, int port, String tokenFile) {
  /** End of the key for {@link #port}. */
  public static final String PORT_LABEL = "web.port";

  /** End of the key for {@link #tokenFile}. */
  public static final String TOKEN_FILE_LABEL = "web.token.file";

  /** Checks the path. */
  public WebSettings {
    try {
      Path.of(tokenFile);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(
          prefix + TOKEN_FILE_LABEL + "=" + tokenFile + " is no path: " + e.getReason(), e);
    }
  }

  /**
   * The token that {@code /metrics} and {@code /status} ask for; absent when they are open.
   *
   * @throws IOException when the file cannot be used; never with any of its content
   */
  Optional<byte[]> token() throws IOException {
    if (tokenFile.isEmpty()) {
      return Optional.empty();
    }
    String named = prefix + TOKEN_FILE_LABEL;
    return Optional.of(SecretFile.read("web token", named, Path.of(tokenFile)));
  }
}
