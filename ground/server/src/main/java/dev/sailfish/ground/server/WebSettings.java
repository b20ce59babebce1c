package dev.sailfish.ground.server;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.secret.SecretFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a daemon has its web pages, and who may see them.
 *
 * @param prefix what the names of the daemon's keys begin with
 * @param port of the pages; 0 = any free one
 * @param tokenFile path of the file with the token that requests must bear, or empty: anyone may
 *     see the pages
 */
public record WebSettings(String prefix, int port, String tokenFile) {
  /** End of the key for {@link #tokenFile}. */
  public static final String TOKEN_FILE_LABEL = "web.token.file";

  /** Reads the settings. */
  public static WebSettings of(Settings settings, ServerKeys keys) {
    return new WebSettings(
        keys.prefix(),
        settings.get(keys.webPort()),
        settings.get(keys.webTokenFile()).map(Path::toString).orElse(""));
  }

  /**
   * The token that {@code /metrics} and {@code /status} ask for; absent when they are open.
   *
   * @throws IOException when the file cannot be used; never with any of its content
   */
  public Optional<byte[]> token() throws IOException {
    if (tokenFile.isEmpty()) {
      return Optional.empty();
    }
    String named = prefix + TOKEN_FILE_LABEL;
    return Optional.of(SecretFile.read("web token", named, Path.of(tokenFile)));
  }
}
