package dev.sailfish.system.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The JVMs that a cluster's NodeManager runs in containers, found by their command lines. */
final class Containers {
  private static final String TASK = "org.apache.hadoop.mapred.YarnChild";
  private static final String MASTER = "org.apache.hadoop.mapreduce.v2.app.MRAppMaster";

  /** The work directory, which is on the command line of each container of the cluster. */
  private final String home;

  /**
   * A task attempt that runs.
   *
   * @param id {@code attempt_…}
   * @param process its JVM
   */
  record Attempt(String id, RunningProcess process) {
    boolean isMap() {
      return id.contains("_m_");
    }

    /** The id without the number of the attempt. */
    String task() {
      return id.substring(0, id.lastIndexOf('_'));
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

  /** Task attempts whose JVM runs. */
  List<Attempt> attempts() throws IOException {
    List<Attempt> attempts = new ArrayList<>();
    for (RunningProcess process : javaProcesses()) {
      List<String> arguments = process.arguments();
      if (arguments.contains(TASK)) {
        arguments.stream()
            .filter(argument -> argument.matches("attempt_\\d+_\\d+_[mr]_\\d+_\\d+"))
            .findFirst()
            .ifPresent(id -> attempts.add(new Attempt(id, process)));
      }
    }
    return attempts;
  }

  /** The ApplicationMaster's JVM, if one runs. */
  Optional<RunningProcess> master() throws IOException {
    return javaProcesses().stream()
        .filter(process -> process.arguments().contains(MASTER))
        .findFirst();
  }

  /** Every process of the cluster, daemons among them. */
  List<RunningProcess> processes() throws IOException {
    List<RunningProcess> ours = new ArrayList<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
      entries
          .map(entry -> entry.getFileName().toString())
          .filter(name -> name.chars().allMatch(Character::isDigit))
          .map(name -> RunningProcess.read(Long.parseLong(name)))
          .flatMap(Optional::stream)
          .filter(process -> process.arguments().stream().anyMatch(word -> word.contains(home)))
          .filter(process -> process.pid() != ProcessHandle.current().pid())
          .forEach(ours::add);
    }
    return ours;
  }

  /** Shells that start a container have it on their command line too, in one word. */
  private List<RunningProcess> javaProcesses() throws IOException {
    return processes().stream()
        .filter(process -> process.arguments().get(0).endsWith("/java"))
        .toList();
  }
}
