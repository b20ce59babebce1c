package dev.sailfish.localcluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * How to start one daemon and how to see that it serves.
 *
 * @param name as users see it
 * @param command program and arguments
 * @param environment what is added to the launcher's environment
 * @param address {@code host:port} of its main service
 * @param web {@code http://host:port} of its web server, or empty
 * @param ready asked, with a client of {@code web}, until it says that the daemon serves; quick,
 *     and false when in doubt
 */
record DaemonSpec(
    String name,
    List<String> command,
    Map<String, String> environment,
    String address,
    String web,
    Predicate<RestClient> ready) {
  private static final Path SETSID = Path.of("/usr/bin/setsid");

  DaemonSpec {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /**
   * Starts a daemon that outlives this JVM, in a session of its own so that neither Ctrl-C nor the
   * end of the terminal reaches it.
   *
   * @param log receives what the daemon prints, behind what is there
   */
  DaemonRecord start(Path log) {
    List<String> arguments = new ArrayList<>();
    if (Files.isExecutable(SETSID)) {
      arguments.add(SETSID.toString()); // executes the command in its own process: the pid stays
    }
    arguments.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(arguments);
    builder.environment().keySet().removeIf(DaemonSpec::belongsToAnotherHadoop);
    builder.environment().putAll(environment);
    builder
        .redirectInput(new File("/dev/null"))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    try {
      long pid = builder.start().pid();
      long startTicks = ProcessStat.read(pid).map(ProcessStat::startTicks).orElse(-1L);
      return new DaemonRecord(name, pid, startTicks, address, web, log.toString());
    } catch (IOException e) {
      throw new CommandException("Cannot start " + name + ": " + e.getMessage(), e);
    }
  }

  private static boolean belongsToAnotherHadoop(String variable) {
    return variable.startsWith("HADOOP_")
        || variable.startsWith("YARN_")
        || variable.startsWith("MAPRED_");
  }
}
