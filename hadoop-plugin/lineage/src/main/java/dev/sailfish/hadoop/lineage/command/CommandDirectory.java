package dev.sailfish.hadoop.lineage.command;

import dev.sailfish.hadoop.lineage.ProgramName;
import dev.sailfish.hadoop.lineage.wire.Command;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A directory of its own in which a command runs, with its programs, inputs and outputs under local
 * names. It goes with all in it when this is closed. For one thread.
 */
public final class CommandDirectory implements Closeable {
  private static final File NOTHING = new File("/dev/null");

  private final Path base;
  private final Path work;
  private final Path temporary;

  private CommandDirectory(Path base) throws IOException {
    this.base = base;
    work = Files.createDirectory(base.resolve("work"));
    temporary = Files.createDirectory(base.resolve("tmp"));
  }

  /**
   * Makes one.
   *
   * @param parent in which it is made
   */
  public static CommandDirectory create(Path parent) throws IOException {
    return new CommandDirectory(
        Files.createTempDirectory(parent.toAbsolutePath(), "sailfish-command-"));
  }

  /**
   * Verifies local names.
   *
   * @param programs what programs are called
   * @throws IllegalArgumentException naming the first one that is no file's name, or that two have,
   *     or that a program cannot have
   */
  public static void check(Command command, Collection<String> programs) {
    if (programs.contains(ProgramName.RECIPE)) {
      throw new IllegalArgumentException(
          "a program cannot be called %s, as a record's own file is: rename it"
              .formatted(ProgramName.RECIPE));
    }
    List<String> names = new ArrayList<>(programs);
    names.addAll(command.getInputNamesList());
    names.addAll(command.getOutputNamesList());
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (name.isEmpty() || name.contains("/") || name.equals(".") || name.equals("..")) {
        throw new IllegalArgumentException(
            "\"%s\" is no name of a file in the working directory: write PATH=NAME with a NAME"
                    .formatted(name)
                + " that has no /");
      }
      if (!seen.add(name)) {
        throw new IllegalArgumentException(
            "two files are called %s in the working directory: write PATH=NAME with another NAME"
                .formatted(name));
      }
    }
  }

  /** Where the file of a local name is. */
  public Path file(String name) {
    return work.resolve(name);
  }

  /**
   * Writes a file that the command does not see.
   *
   * @return where it is
   */
  public Path keep(String name, byte[] content) throws IOException {
    return Files.write(base.resolve(name), content);
  }

  /** Has a program be one that can be run. */
  public void makeExecutable(String program) throws IOException {
    if (!file(program).toFile().setExecutable(true, true)) {
      throw new IOException("the program %s cannot be made executable".formatted(program));
    }
  }

  /**
   * Runs the command to its end. It reads nothing from its standard input, and has the environment
   * of the recipe alone, besides HOME and TMPDIR, which are of this directory. With this process it
   * ends, too.
   *
   * @param out takes its standard output
   * @param err takes its standard error
   * @param deadline after which it is killed
   * @return its exit code
   * @throws IOException when it cannot be started, or does not end in time
   */
  public int run(Command command, Redirect out, Redirect err, Duration deadline)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command.getArgumentsList()).directory(work.toFile());
    builder.redirectInput(NOTHING).redirectOutput(out).redirectError(err);
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.put("HOME", temporary.toString());
    environment.put("TMPDIR", temporary.toString());
    environment.putAll(command.getEnvironmentMap());
    Process process = builder.start();
    Thread ending = new Thread(() -> kill(process), "command-end");
    Runtime.getRuntime().addShutdownHook(ending);
    try {
      if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException(
            "the command has not ended within %d s, and was killed"
                .formatted(deadline.toSeconds()));
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException)
          new InterruptedIOException("interrupted while the command runs").initCause(e);
    } finally {
      kill(process);
      forget(ending);
    }
  }

  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private static void forget(Thread ending) {
    try {
      Runtime.getRuntime().removeShutdownHook(ending);
    } catch (IllegalStateException e) {
      // this process is ending
    }
  }

  @Override
  public void close() throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.walk(base)) {
      all = found.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path one : all) {
      Files.deleteIfExists(one);
    }
  }
}
