package dev.sailfish.localcluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Starts and ends processes; what it ends is always named by pid and start time, never by pid
 * alone.
 */
final class DaemonProcess {
  private static final Path SETSID = Path.of("/usr/bin/setsid");
  private static final long ENDED = -1;
  private static final Duration POLL = Duration.ofMillis(50);

  private DaemonProcess() {}

  /**
   * Starts a daemon that outlives this JVM, in a session of its own so that neither Ctrl-C nor the
   * end of the terminal reaches it.
   *
   * @param spec what to start
   * @param log receives what the daemon prints; truncated
   */
  static DaemonRecord start(DaemonSpec spec, Path log) {
    List<String> command = new ArrayList<>();
    if (Files.isExecutable(SETSID)) {
      command.add(SETSID.toString()); // executes the command in its own process: the pid stays
    }
    command.addAll(spec.command());
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(DaemonProcess::belongsToAnotherHadoop);
    builder.environment().putAll(spec.environment());
    builder
        .redirectInput(new File("/dev/null"))
        .redirectErrorStream(true)
        .redirectOutput(log.toFile());
    try {
      long pid = builder.start().pid();
      long startTicks = ProcessStat.read(pid).map(ProcessStat::startTicks).orElse(ENDED);
      return new DaemonRecord(
          spec.name(), pid, startTicks, spec.address(), spec.web(), log.toString());
    } catch (IOException e) {
      throw new CommandException("Cannot start " + spec.name() + ": " + e.getMessage(), e);
    }
  }

  private static boolean belongsToAnotherHadoop(String variable) {
    return variable.startsWith("HADOOP_")
        || variable.startsWith("YARN_")
        || variable.startsWith("MAPRED_");
  }

  /**
   * Asks the processes to end, and kills those that did not within the grace period.
   *
   * @param processes to end; those that ended already are left alone, also when their pid is in use
   *     again
   * @param grace how long they may take
   */
  static void end(Collection<DaemonRecord> processes, Duration grace) {
    List<DaemonRecord> running = processes.stream().filter(DaemonRecord::isRunning).toList();
    running.forEach(process -> ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroy));
    if (new Await(grace, POLL)
        .holdsInTime(() -> running.stream().noneMatch(DaemonRecord::isRunning))) {
      return;
    }
    List<DaemonRecord> stubborn = running.stream().filter(DaemonRecord::isRunning).toList();
    stubborn.forEach(
        process -> ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly));
    new Await(grace, POLL)
        .until(
            () -> stubborn.stream().noneMatch(DaemonRecord::isRunning),
            () -> "Cannot end " + stubborn.stream().filter(DaemonRecord::isRunning).toList() + ".");
  }
}
