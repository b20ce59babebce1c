package dev.sailfish.system.chaos;

import dev.sailfish.localcluster.ProcessStat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A process, named by id and start time so that a later one with the same id is never hit.
 *
 * @param pid process id
 * @param startTicks when it started
 * @param arguments its command line
 */
record RunningProcess(long pid, long startTicks, List<String> arguments) {
  private static final long SIGNAL_DEADLINE_S = 10;

  RunningProcess {
    arguments = List.copyOf(arguments);
  }

  /** The process with this id, if there is one and it may be looked at. */
  static Optional<RunningProcess> read(long pid) {
    Optional<ProcessStat> stat = ProcessStat.read(pid).filter(ProcessStat::isRunning);
    if (stat.isEmpty()) {
      return Optional.empty();
    }
    try {
      List<String> arguments = words(pid, "cmdline");
      return Optional.of(new RunningProcess(pid, stat.get().startTicks(), arguments));
    } catch (IOException e) {
      return Optional.empty(); // it ended meanwhile, or is not ours
    }
  }

  /** What a file of {@code /proc/PID} holds, split at its zero bytes. */
  static List<String> words(long pid, String file) throws IOException {
    String text =
        Files.readString(Path.of("/proc", Long.toString(pid), file), StandardCharsets.ISO_8859_1);
    return text.isEmpty() ? List.of() : List.of(text.split("\0"));
  }

  /** Whether this very process is there, stopped or not. */
  boolean isRunning() {
    return ProcessStat.read(pid)
        .filter(stat -> stat.startTicks() == startTicks && stat.isRunning())
        .isPresent();
  }

  /**
   * Sends a signal.
   *
   * @param name without SIG
   * @return false when the process had ended before
   */
  boolean signal(String name) throws IOException, InterruptedException {
    if (!isRunning()) {
      return false;
    }
    Process kill =
        new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!kill.waitFor(SIGNAL_DEADLINE_S, TimeUnit.SECONDS)) {
      kill.destroyForcibly();
      throw new IOException("kill -" + name + " " + pid + " does not end");
    }
    return kill.exitValue() == 0;
  }
}
