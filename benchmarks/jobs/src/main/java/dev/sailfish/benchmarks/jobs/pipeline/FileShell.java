package dev.sailfish.benchmarks.jobs.pipeline;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.client.JobClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Hadoop's file system shell on a cluster; a command that fails is an error. */
final class FileShell {
  private final JobClient client;

  FileShell(LocalCluster cluster) {
    client = new JobClient(cluster.distribution(), cluster.layout().conf());
  }

  /** Runs a command with these keys. */
  void run(Map<String, String> keys, List<String> command) {
    List<String> arguments = new ArrayList<>();
    keys.forEach((key, value) -> arguments.addAll(List.of("-D", key + "=" + value)));
    arguments.addAll(command);
    int exitCode = client.runShell(arguments);
    if (exitCode != 0) {
      throw new CommandException(
          "fs %s failed with exit code %d.".formatted(String.join(" ", command), exitCode));
    }
  }

  /** Runs a command. */
  void run(String... command) {
    run(Map.of(), List.of(command));
  }
}
