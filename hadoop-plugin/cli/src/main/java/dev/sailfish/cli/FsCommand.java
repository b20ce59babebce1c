package dev.sailfish.cli;

import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.client.JobClient;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sailfish fs}. */
@Command(
    name = "fs",
    description = {
      "Works with files like `hadoop fs`, those of the lineage store too (lineage:///), on the local"
          + " cluster or on the one that HADOOP_CONF_DIR names: fs -put FILE lineage:///dir.",
      "The exit code is the shell's."
    })
final class FsCommand extends TerminalCommand {
  @Mixin private ClusterOptions options;

  @Parameters(paramLabel = "ARGUMENT", description = "As for `hadoop fs`.")
  private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() {
    return new JobClient(Distribution.current(), options.hadoopConf(err())).runShell(arguments);
  }
}
