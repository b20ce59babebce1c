package dev.sailfish.chaos.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A process, named by id and start time so that a later one with the same id is never hit.
 *
 * @param handle names it
 * @param arguments its command line
 */
public record RunningProcess(ProcessHandle handle, List<String> arguments) {
  private static final long SIGNAL_DEADLINE_S = 10;

  /** Copies the arguments. */
  public RunningProcess {
    arguments = List.copyOf(arguments);
  }

  /** The process with this id, if there is one and it may be looked at. */
  public static Optional<RunningProcess> read(long pid) {
    try {
      Optional<ProcessHandle> handle = ProcessHandle.of(pid);
      return handle.isEmpty()
          ? Optional.empty()
          : Optional.of(new RunningProcess(handle.get(), words(pid, "cmdline")))
              .filter(RunningProcess::isRunning);
    } catch (IOException e) {
      return Optional.empty(); // it ended meanwhile, or is not ours
    }
  }

  /** Every process but this one with a text in a word of its command line. */
  public static List<RunningProcess> withWord(String text) {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.filter(handle -> handle.pid() != ProcessHandle.current().pid())
          .flatMap(handle -> read(handle.pid()).stream())
          .filter(process -> process.arguments().stream().anyMatch(word -> word.contains(text)))
          .toList();
    }
  }

  /** What a file of {@code /proc/PID} holds, split at its zero bytes. */
  static List<String> words(long pid, String file) throws IOException {
    String text = read(pid, file);
    return text.isEmpty() ? List.of() : List.of(text.split("\0"));
  }

  private static String read(long pid, String file) throws IOException {
    return Files.readString(
        Path.of("/proc", Long.toString(pid), file), StandardCharsets.ISO_8859_1);
  }

  /** Paths of the files that it has open; none when it has ended or is not ours. */
  public List<Path> openFiles() {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> descriptors =
        Files.newDirectoryStream(Path.of("/proc", Long.toString(pid()), "fd"))) {
      for (Path descriptor : descriptors) {
        addTarget(descriptor, files);
      }
    } catch (IOException | DirectoryIteratorException e) {
      return List.of();
    }
    return files;
  }

  private static void addTarget(Path descriptor, List<Path> files) {
    try {
      files.add(Files.readSymbolicLink(descriptor));
    } catch (IOException e) {
      return; // closed meanwhile
    }
  }

  /** Its id. */
  public long pid() {
    return handle.pid();
  }

  /** Whether this very process is there, stopped or not; one that nobody has waited for is not. */
  public boolean isRunning() {
    try {
      String stat = read(pid(), "stat");
      return handle.isAlive() && "ZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Sends a signal.
   *
   * @param name without SIG
   * @return false when the process had ended before
   */
  public boolean signal(String name) throws IOException, InterruptedException {
    if (!isRunning()) {
      return false;
    }
    Process kill =
        new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!kill.waitFor(SIGNAL_DEADLINE_S, TimeUnit.SECONDS)) {
      kill.destroyForcibly();
      throw new IOException("kill -" + name + " " + pid() + " does not end");
    }
    return kill.exitValue() == 0;
  }
}
