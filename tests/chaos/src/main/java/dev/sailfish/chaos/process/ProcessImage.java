package dev.sailfish.chaos.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What it takes to start a process like one that runs.
 *
 * @param command its words
 * @param environment its variables, and no others
 * @param directory where it runs
 */
public record ProcessImage(List<String> command, Map<String, String> environment, Path directory) {
  /** Copies what it is given. */
  public ProcessImage {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /** Of a process that runs. */
  public static ProcessImage of(RunningProcess process) throws IOException {
    Map<String, String> environment = new HashMap<>();
    for (String variable : RunningProcess.words(process.pid(), "environ")) {
      int equals = variable.indexOf('=');
      if (equals > 0) {
        environment.put(variable.substring(0, equals), variable.substring(equals + 1));
      }
    }
    Path directory = Path.of("/proc", Long.toString(process.pid()), "cwd").toRealPath();
    return new ProcessImage(process.arguments(), environment, directory);
  }

  /**
   * Starts another one, which outlives this JVM.
   *
   * @param log its output goes behind what is there
   * @throws IOException when it cannot be started or ends at once
   */
  public RunningProcess start(Path log) throws IOException {
    List<String> words = new ArrayList<>(command);
    words.add(0, "setsid"); // the terminal's signals are not for it
    ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder
        .redirectInput(new File("/dev/null"))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    long pid = builder.start().pid();
    return RunningProcess.read(pid)
        .orElseThrow(() -> new IOException("process ended at once, see " + log + ": " + command));
  }
}
