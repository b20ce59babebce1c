package dev.sailfish.system.yarn.chaos;

import dev.sailfish.chaos.process.NamedProcess;
import dev.sailfish.chaos.process.RunningProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The JVMs that a cluster's NodeManager runs in containers, found by their command lines. */
final class Containers {
  private static final List<String> TASKS =
      List.of("org.apache.hadoop.mapred.YarnChild", "dev.sailfish.hadoop.warm.SailfishChild");

  private static final String MASTER = "org.apache.hadoop.mapreduce.v2.app.MRAppMaster";

  private static final Pattern LOG = Pattern.compile("syslog\\.(attempt_\\d+_\\d+_[mr]_\\d+_\\d+)");

  /** The work directory, which is on the command line of each container of the cluster. */
  private final String home;

  /**
   * A task attempt that runs.
   *
   * @param id {@code attempt_…}
   */
  record Attempt(String id) {
    boolean isMap() {
      return id.contains("_m_");
    }

    /** The id without the number of the attempt. */
    String task() {
      return id.substring(0, id.lastIndexOf('_'));
    }

    /** Whether it is another attempt of that one's task. */
    boolean isTwinOf(String other) {
      return task().equals(new Attempt(other).task()) && !id.equals(other);
    }

    /** {@code job_…} */
    String job() {
      String[] parts = id.split("_");
      return "job_" + parts[1] + "_" + parts[2];
    }
  }

  Containers(Path home) {
    this.home = home.toString();
  }

  /** Task attempts whose JVM runs; of a JVM that runs one after another the one that began last. */
  List<NamedProcess> attempts(Predicate<Attempt> wanted) {
    List<NamedProcess> attempts = new ArrayList<>();
    for (RunningProcess process : javaProcesses(TASKS)) {
      attempt(process)
          .filter(id -> wanted.test(new Attempt(id)))
          .ifPresent(id -> attempts.add(new NamedProcess(id, process)));
    }
    return attempts;
  }

  /** The first one is on the command line, each later one has a log file of its own. */
  private static Optional<String> attempt(RunningProcess process) {
    return process.openFiles().stream()
        .map(file -> LOG.matcher(file.getFileName().toString()))
        .filter(Matcher::matches)
        .map(log -> log.group(1))
        .findFirst()
        .or(
            () ->
                process.arguments().stream()
                    .filter(argument -> argument.matches("attempt_\\d+_\\d+_[mr]_\\d+_\\d+"))
                    .findFirst());
  }

  /** Those of them that are not the first in their JVM. */
  List<NamedProcess> laterAttempts() {
    return attempts(any -> true).stream()
        .filter(attempt -> !attempt.process().arguments().contains(attempt.name()))
        .toList();
  }

  /** The ApplicationMaster's JVM, if one runs. */
  List<NamedProcess> masters() {
    return javaProcesses(List.of(MASTER)).stream()
        .map(process -> new NamedProcess("the ApplicationMaster pid=" + process.pid(), process))
        .toList();
  }

  /** All containers that run. */
  List<NamedProcess> all() {
    List<NamedProcess> all = new ArrayList<>(attempts(any -> true));
    all.addAll(masters());
    return all;
  }

  /** Every process of the cluster, daemons among them. */
  List<RunningProcess> processes() {
    return RunningProcess.withWord(home);
  }

  /** Shells that start a container have it on their command line too, in one word. */
  private List<RunningProcess> javaProcesses(List<String> mainClasses) {
    return processes().stream()
        .filter(process -> process.arguments().get(0).endsWith("/java"))
        .filter(process -> mainClasses.stream().anyMatch(process.arguments()::contains))
        .toList();
  }
}
