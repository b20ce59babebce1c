package dev.sailfish.cli;

import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.localcluster.ClusterLayout;
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
  private Optional<Path> secretFile;

  /** The secret that the option or the environment names. */
  Optional<byte[]> named() throws IOException {
    Optional<Path> file = ClusterOptions.orVariable(secretFile, VARIABLE);
    String named = secretFile.isPresent() ? "--secret-file" : VARIABLE;
    return file.isPresent() ? Optional.of(ClusterSecret.read(named, file.get())) : Optional.empty();
  }

  /** The same, else that of the local cluster, if there is one. */
  Optional<byte[]> orLocal(ClusterLayout layout) throws IOException {
    Optional<byte[]> named = named();
    return named.isPresent() || !Files.exists(layout.secret())
        ? named
        : Optional.of(ClusterSecret.read("secret of the local cluster", layout.secret()));
  }
}
