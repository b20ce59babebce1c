package dev.sailfish.cli;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Whom a command trusts of servers that speak TLS. */
final class TlsOptions {
  private static final String VARIABLE = "SAILFISH_TLS_CLIENT_FILE";

  @Option(
      names = "--tls-client-file",
      paramLabel = "FILE",
      description =
          "File in the format of Hadoop's ssl-client.xml, for servers that speak TLS (default: $"
              + VARIABLE
              + ", else that of the running local cluster where its servers are meant, else no"
              + " TLS).")
  private Optional<Path> file = Optional.empty();

  /** The file that the option or the environment names. */
  Optional<Path> file() {
    return ClusterOptions.orVariable(file, VARIABLE);
  }
}
