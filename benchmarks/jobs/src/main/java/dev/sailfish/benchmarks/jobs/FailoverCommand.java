package dev.sailfish.benchmarks.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sailfish.cli.ClusterOptions;
import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.Distribution;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sailfish bench failover}. */
@Command(
    name = "failover",
    description = {
      "Fills three masters of the lineage store with files, kills the one that leads again and"
          + " again, and tells how long clients were not served.",
      "The masters are processes of their own, on a journal in a temporary directory. Exit code 0"
          + " only if all clients went on each time."
    },
    mixinStandardHelpOptions = true)
final class FailoverCommand extends TerminalCommand {
  private static final String MAIN = "dev.sailfish.benchmarks.store.failover.FailoverMain";
  private static final List<String> FLAGS = List.of("-Xmx600m", "-XX:+UseSerialGC");

  @Mixin private ClusterOptions cluster;

  @Option(
      names = "--files",
      split = ",",
      paramLabel = "N",
      defaultValue = "1m",
      description = "How many files; k and m stand for thousands and millions (default: 1m).")
  private List<String> files;

  @Option(
      names = "--kills",
      paramLabel = "N",
      defaultValue = "20",
      description = "How often the leader is killed, for each number of files (default: 20).")
  private int kills;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "1g",
      description = "Heap of each master (default: 1g, as bin/sailfish-lineage-master has it).")
  private String heap;

  @Option(
      names = "--snapshot-entries",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Changes after which a snapshot is written (default: 100000).")
  private int snapshotEntries;

  @Option(names = "--json", paramLabel = "FILE", description = "Also write a report as JSON.")
  private Path json;

  @Override
  public Integer call() throws IOException {
    List<Long> counts = files.stream().map(FailoverCommand::count).toList();
    if (kills < 1 || snapshotEntries < 10) {
      throw new CommandException("--kills is at least 1, and --snapshot-entries at least 10.");
    }
    Distribution distribution = cluster.cluster(line -> err().println(line)).distribution();
    ArrayNode runs = Report.JSON.createArrayNode();
    boolean good = true;
    for (long count : counts) {
      JsonNode run = run(distribution, count);
      good &= run != null;
      if (run != null) {
        runs.add(run);
        run.properties()
            .forEach(
                one ->
                    out()
                        .print(
                            Report.text("%-36s%14.1f%n", one.getKey(), one.getValue().asDouble())));
        out().flush();
      }
    }
    if (json != null) {
      ObjectNode report = Report.JSON.createObjectNode();
      report.set("runs", runs);
      Report.write(json, report);
    }
    return good ? 0 : 1;
  }

  private static long count(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    if (!lower.matches("[0-9]{1,9}[km]?")) {
      throw new CommandException("--files are numbers such as 500k or 5m, not " + text + ".");
    }
    long unit = lower.endsWith("k") ? 1_000 : lower.endsWith("m") ? 1_000_000 : 1;
    long number = Long.parseLong(lower.replaceAll("[km]", ""));
    if (number < 1) {
      throw new CommandException("--files are above 0.");
    }
    return number * unit;
  }

  /** Null when it failed; what it says is shown. */
  private JsonNode run(Distribution distribution, long count) throws IOException {
    Path lib = distribution.root().resolve("benchmarks/jobs/target/dist/lib");
    Path directory = Files.createTempDirectory("sailfish-failover-");
    List<String> arguments =
        List.of(
            directory.toString(),
            Long.toString(count),
            Integer.toString(kills),
            heap,
            Integer.toString(snapshotEntries));
    String classPath = distribution.sailfishClassPath() + ":" + lib + "/*";
    Process process =
        new ProcessBuilder(distribution.javaCommand(FLAGS, classPath, MAIN, arguments))
            .redirectErrorStream(true)
            .start();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      JsonNode report = null;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("{")) {
          report = Report.JSON.readTree(line);
        } else {
          err().println("  " + line);
        }
      }
      return report;
    } finally {
      process.destroy();
      Directories.delete(directory);
    }
  }
}
