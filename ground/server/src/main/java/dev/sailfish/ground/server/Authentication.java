package dev.sailfish.ground.server;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether a daemon authenticates who connects, as its configuration says. Nothing said is no
 * answer: such a daemon does not start.
 *
 * @param open whether anyone may connect and do everything
 * @param secretFile with the cluster secret
 */
public record Authentication(ServerKeys keys, boolean open, Optional<Path> secretFile) {

  /**
   * Reads the settings.
   *
   * @throws IllegalArgumentException when they do not go together
   */
  public static Authentication of(Settings settings, ServerKeys keys) {
    String mode = settings.get(keys.authentication());
    Optional<Path> file = settings.get(keys.secretFile());
    if (mode.equals("secret") && file.isEmpty()) {
      throw settings.wrong(keys.authentication(), "needs " + keys.secretFile());
    }
    return new Authentication(keys, mode.equals(Key.NONE), file);
  }

  /**
   * The cluster secret; absent when nobody is authenticated.
   *
   * @throws IOException when nothing is configured, or the file cannot be used
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
}
