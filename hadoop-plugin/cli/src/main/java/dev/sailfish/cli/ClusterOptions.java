package dev.sailfish.cli;

import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.LocalCluster;
import java.nio.file.Path;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** Which local cluster a command is about. */
public final class ClusterOptions {
  private static final String HOME_VARIABLE = "SAILFISH_HOME_DIR";

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Work directory of the local cluster (default: $"
              + HOME_VARIABLE
              + ", or target/cluster in the project).")
  private Path directory;

  ClusterLayout layout(Distribution distribution) {
    if (directory != null) {
      return new ClusterLayout(directory);
    }
    String fromEnvironment = System.getenv(HOME_VARIABLE);
    return fromEnvironment != null && !fromEnvironment.isEmpty()
        ? new ClusterLayout(Path.of(fromEnvironment))
        : new ClusterLayout(distribution.root().resolve("target/cluster"));
  }

  /** The cluster itself, running or not; {@code progress} receives a line for each step. */
  public LocalCluster cluster(Distribution distribution, Consumer<String> progress) {
    return new LocalCluster(distribution, layout(distribution), progress);
  }
}
