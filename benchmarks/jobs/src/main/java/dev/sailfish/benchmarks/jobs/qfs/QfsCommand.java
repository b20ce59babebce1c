package dev.sailfish.benchmarks.jobs.qfs;

import dev.sailfish.cli.ClusterOptions;
import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sailfish bench qfs}. */
@Command(
    name = "qfs",
    description = {
      "How fast a file goes into a QFS and out of it: by the client of this project, by the same"
          + " through Hadoop, and by QFS's own tools.",
      "The QFS runs somewhere already. Contenders take turns within each round, in every other one"
          + " backwards; those of this project are in one JVM, which has done each once before."
          + " Exit code 0 only if each read the bytes that were written."
    },
    mixinStandardHelpOptions = true)
public final class QfsCommand extends TerminalCommand {
  private static final String MAIN = "dev.sailfish.benchmarks.store.qfs.QfsTransferMain";
  private static final List<String> FLAGS = List.of("-Xmx1g", "-XX:+UseSerialGC");
  private static final String RUN = "run ";
  private static final String NO_TOOL = "-";

  @Mixin private ClusterOptions cluster;

  @Option(
      names = "--meta",
      paramLabel = "HOST:PORT",
      required = true,
      description = "The metaserver.")
  private String meta;

  @Option(
      names = "--tools",
      paramLabel = "DIR",
      description = "Directory with QFS's cptoqfs and qfscat; without it they do not take part.")
  private Path tools;

  @Option(
      names = "--mb",
      paramLabel = "N",
      defaultValue = "200",
      description = "Megabytes of the file (default: ${DEFAULT-VALUE}).")
  private int mb;

  @Option(
      names = "--copies",
      paramLabel = "N",
      defaultValue = "3",
      description = "Copies of each chunk (default: ${DEFAULT-VALUE}).")
  private int copies;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Runs of each contender (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      defaultValue = "/dev/shm",
      description = "Where the local file is that is written (default: ${DEFAULT-VALUE}).")
  private Path directory;

  @Option(
      names = "--deadline",
      paramLabel = "SECONDS",
      defaultValue = "600",
      description = "After how long the bench is given up (default: ${DEFAULT-VALUE}).")
  private int deadline;

  @Option(names = "--json", paramLabel = "FILE", description = "Also write a report as JSON.")
  private Path json;

  @Override
  public Integer call() throws IOException {
    if (mb < 1 || copies < 1 || rounds < 1 || deadline < 1) {
      throw new CommandException("--mb, --copies, --rounds and --deadline are at least 1.");
    }
    for (String tool : List.of("cptoqfs", "qfscat")) {
      if (tools != null && !Files.isExecutable(tools.resolve(tool))) {
        throw new CommandException("--tools " + tools + " holds no " + tool + " that can be run.");
      }
    }
    List<QfsRun> runs = new ArrayList<>();
    boolean good = run(cluster.cluster(line -> err().println(line)).distribution(), runs);
    QfsReport report = new QfsReport(runs, mb, copies);
    out().print(report.table());
    out().flush();
    if (json != null) {
      Files.writeString(json, report.json().toPrettyString() + "\n");
    }
    return good ? 0 : 1;
  }

  /** Whether the client ended well; what it says is shown. */
  private boolean run(Distribution distribution, List<QfsRun> runs) throws IOException {
    Path lib = distribution.root().resolve("benchmarks/jobs/target/dist/lib");
    String classPath =
        distribution.sailfishClassPath() + ":" + lib + "/*:" + distribution.hadoopClassPath();
    List<String> arguments =
        List.of(
            meta,
            tools == null ? NO_TOOL : tools.toString(),
            Integer.toString(mb),
            Integer.toString(copies),
            Integer.toString(rounds),
            directory.toString());
    Process process =
        new ProcessBuilder(distribution.javaCommand(FLAGS, classPath, MAIN, arguments))
            .redirectErrorStream(true)
            .start();
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      clock.schedule(process::destroyForcibly, deadline, TimeUnit.SECONDS);
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        err().println("  " + line);
        if (line.startsWith(RUN)) {
          runs.add(QfsRun.parse(line.substring(RUN.length())));
        }
      }
      return process.waitFor() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("Interrupted while the client ran.", e);
    } finally {
      clock.shutdownNow();
      process.destroyForcibly();
    }
  }
}
