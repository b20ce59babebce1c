package dev.sailfish.transport;

import dev.sailfish.protocol.ClusterSecret;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether a daemon authenticates who connects, as its configuration says. Nothing said is no
 * answer: such a daemon does not start.
 *
 * @param prefix what the names of the daemon's keys begin with
 * @param mode {@link #NONE}, {@link #SECRET} or empty: SECRET when there is a file
 * @param secretFile path of the file with the cluster secret, or empty
 */
public record Authentication(String prefix, String mode, String secretFile) {
  /** Everybody may connect and do everything. */
  public static final String NONE = "none";

  /** Each side of each connection proves that it knows a secret. */
  public static final String SECRET = "secret";

  /** End of the key for {@link #mode}. */
  public static final String MODE_LABEL = "authentication";

  /** End of the key for {@link #secretFile}. */
  public static final String FILE_LABEL = "cluster.secret.file";

  /** Checks the mode and the path. */
  public Authentication {
    if (!mode.isEmpty() && !mode.equals(NONE) && !mode.equals(SECRET)) {
      throw new IllegalArgumentException(
          prefix + MODE_LABEL + "=" + mode + " must be " + SECRET + " or " + NONE);
    }
    if (mode.equals(SECRET) && secretFile.isEmpty()) {
      throw new IllegalArgumentException(
          prefix + MODE_LABEL + "=" + SECRET + " needs " + prefix + FILE_LABEL);
    }
    try {
      Path.of(secretFile);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(
          prefix + FILE_LABEL + "=" + secretFile + " is no path: " + e.getReason(), e);
    }
  }

  /**
   * The cluster secret; absent when nobody is authenticated.
   *
   * @throws IOException when nothing is configured, or the file cannot be used
   */
  public Optional<byte[]> secret() throws IOException {
    if (mode.equals(NONE)) {
      return Optional.empty();
    }
    if (secretFile.isEmpty()) {
      throw new IOException(
          "authentication is not configured: set "
              + prefix
              + FILE_LABEL
              + " to a file with the cluster's secret, or "
              + prefix
              + MODE_LABEL
              + "="
              + NONE
              + " to let everybody do everything");
    }
    return Optional.of(ClusterSecret.read(prefix + FILE_LABEL, Path.of(secretFile)));
  }
}
