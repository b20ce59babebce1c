package dev.sailfish.cli;

import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.LocalCluster;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** Which local cluster a command is about. */
public final class ClusterOptions {
  private static final String CONF_VARIABLE = "HADOOP_CONF_DIR";
  private static final String HOME_VARIABLE = "SAILFISH_HOME_DIR";

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Work directory of the local cluster (default: $"
              + HOME_VARIABLE
              + ", or target/cluster in the project).")
  private Optional<Path> directory;

  /** The path that an option names, or else a variable of the environment. */
  static Optional<Path> orVariable(Optional<Path> option, String variable) {
    return option.or(
        () ->
            Optional.ofNullable(System.getenv(variable))
                .filter(text -> !text.isEmpty())
                .map(Path::of));
  }

  ClusterLayout layout() {
    return new ClusterLayout(
        orVariable(directory, HOME_VARIABLE)
            .orElseGet(() -> Distribution.current().root().resolve("target/cluster")));
  }

  /** The cluster itself, running or not; {@code progress} receives a line for each step. */
  public LocalCluster cluster(Consumer<String> progress) {
    return new LocalCluster(Distribution.current(), layout(), progress);
  }

  /**
   * Hadoop's configuration: the directory that {@code HADOOP_CONF_DIR} names, which {@code err} is
   * told, else that of the running local cluster.
   */
  Path hadoopConf(PrintWriter err) {
    String named = System.getenv(CONF_VARIABLE);
    if (named != null && !named.isEmpty()) {
      err.println("Using the cluster of " + CONF_VARIABLE + "=" + named);
      return Path.of(named);
    }
    LocalCluster cluster = cluster();
    cluster.state(); // or an error
    return cluster.layout().conf();
  }

  /** The cluster for commands that only look at it. */
  LocalCluster cluster() {
    return cluster(line -> {});
  }
}
