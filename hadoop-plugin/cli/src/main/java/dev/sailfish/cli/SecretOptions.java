package dev.sailfish.cli;

import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where a command has the cluster's secret from. */
final class SecretOptions {
  private static final String VARIABLE = "SAILFISH_SECRET_FILE";

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description =
          "File with the cluster's secret (default: $"
              + VARIABLE
              + ", else that of the running local cluster; without one the command works only where"
              + " authentication is off).")
  private Path secretFile;

  /** The secret that the option or the environment names. */
  Optional<byte[]> named() {
    String fromEnvironment = System.getenv(VARIABLE);
    if (secretFile != null) {
      return Optional.of(read("--secret-file", secretFile));
    }
    return fromEnvironment == null || fromEnvironment.isEmpty()
        ? Optional.empty()
        : Optional.of(read(VARIABLE, Path.of(fromEnvironment)));
  }

  /** The same, else that of the local cluster, if there is one. */
  Optional<byte[]> orLocal(ClusterLayout layout) {
    Optional<byte[]> named = named();
    return named.isPresent() || !Files.exists(layout.secret()) ? named : Optional.of(local(layout));
  }

  /** That of the local cluster. */
  static byte[] local(ClusterLayout layout) {
    return read("secret of the local cluster", layout.secret());
  }

  private static byte[] read(String named, Path file) {
    try {
      return ClusterSecret.read(named, file);
    } catch (IOException e) {
      throw new CommandException(e.getMessage() + ".", e);
    }
  }
}
