package dev.sailfish.cli;

import dev.sailfish.cli.inspect.IfileReport;
import dev.sailfish.cli.inspect.Metaservers;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.client.JobClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sailfish reduce}. */
@Command(
    name = "reduce",
    description = {
      "Runs one reduce task of a job that has ended in one JVM on this machine, from the I-files"
          + " that are kept (sailfish.keep.ifiles), and compares its output with the job's own.",
      "The job's configuration is looked for in its staging directory and in the job history, its"
          + " jar where the configuration says.",
      "Exit code 0: the same bytes, or none to compare with; 3: they differ."
    })
final class ReduceCommand extends TerminalCommand {
  private static final int LAST_PORT = 65_535;

  @Mixin private MetaserverOptions metaserver;

  @Option(names = "--job", paramLabel = "JOB", required = true, description = "Id of the job.")
  private String job;

  @Option(
      names = "--task",
      paramLabel = "N",
      required = true,
      description =
          "Number of the reduce task, from 0: of the job's plan of reduce work, if it was kept,"
              + " else of the partition.")
  private int task;

  @Option(
      names = "--debug",
      paramLabel = "PORT",
      description = "Wait for a debugger (JDWP) on this port of the loopback address.")
  private Optional<Integer> debug = Optional.empty();

  @Option(
      names = "--output",
      paramLabel = "DIR",
      description =
          "Directory for the output, which must not be there (default: one beside the job's).")
  private Optional<String> output = Optional.empty();

  @Option(
      names = "--conf",
      paramLabel = "FILE",
      description = "The job's configuration, as job.xml or the job history has it.")
  private Optional<String> conf = Optional.empty();

  @Option(names = "--jar", paramLabel = "JAR", description = "The job's jar.")
  private Optional<Path> jar = Optional.empty();

  @Option(
      names = "--staging",
      paramLabel = "DIR",
      description =
          "The job's staging directory, or a copy of it: job.xml and the plan of reduce work are"
              + " there (default: where the cluster's configuration says).")
  private Optional<String> staging = Optional.empty();

  @Option(
      names = "--no-plan",
      description = "Read partition N, also if the job's reduce work may have been planned.")
  private boolean whole;

  @Override
  public Integer call() throws IOException {
    if (debug.isPresent() && (debug.get() < 1 || debug.get() > LAST_PORT)) {
      throw wrongArguments("--debug is " + debug.get() + ", which is no port");
    }
    if (job.indexOf('~') >= 0) {
      throw new CommandException(
          ("Job %s shares its name with another one, and Hadoop knows tasks by their jobs' names: its"
                  + " I-files can only be scanned, with bin/sailfish ifile scan.")
              .formatted(job));
    }
    if (jar.isPresent() && !Files.isReadable(jar.get())) {
      throw new CommandException(
          "There is no readable file " + jar.get() + ": name the job's jar.");
    }
    List<String> flags = new ArrayList<>(List.of("-Xmx1g", "-XX:+UseSerialGC"));
    debug.ifPresent(
        port ->
            flags.add(
                "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:" + port));
    return new JobClient(Distribution.current(), metaserver.hadoopConf(err()))
        .runReduce(flags, order());
  }

  /** What the JVM reads: properties as RerunOrder names them, the job's key among them. */
  private byte[] order() throws IOException {
    Metaservers servers = metaserver.metaservers();
    IfileReport report = new IfileReport(servers, out());
    Properties order = new Properties();
    order.setProperty("job", job);
    order.setProperty("task", Integer.toString(task));
    order.setProperty(
        "winners",
        Arrays.stream(report.winners(job))
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(" ")));
    report.accessKey(job).ifPresent(key -> order.setProperty("key", HexFormat.of().formatHex(key)));
    order.setProperty("metaserver", servers.toString());
    order.setProperty("plan", Boolean.toString(!whole));
    output.ifPresent(path -> order.setProperty("output", path));
    conf.ifPresent(path -> order.setProperty("conf", path));
    staging.ifPresent(path -> order.setProperty("staging", path));
    jar.ifPresent(path -> order.setProperty("jar", path.toAbsolutePath().toUri().toString()));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    order.store(bytes, null);
    return bytes.toByteArray();
  }
}
