package dev.sailfish.testkit;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A small file system in memory that one command has for itself, in a mount namespace of its own:
 * one that gets full, or is mounted with options. It needs no privileges where the kernel lets
 * users have namespaces ({@code unshare -rm}), and is gone with the command.
 *
 * @param mountPoint a directory, made if it is not there
 * @param options of the {@code tmpfs}, such as {@code size=4m}
 */
public record MemoryDisk(Path mountPoint, String options) {
  private static final Duration SHORT = Duration.ofSeconds(10);

  /** What starts a command that sees the file system. */
  public List<String> command(List<String> wrapped) {
    String mount =
        "mkdir -m 700 -p \"$0\" && mount -t tmpfs -o %s,mode=700 tmpfs \"$0\" && exec \"$@\""
            .formatted(options);
    List<String> command = new ArrayList<>(List.of("unshare", "-rm", "sh", "-c", mount));
    command.add(mountPoint.toString());
    command.addAll(wrapped);
    return command;
  }

  /** Ends a test as one that cannot be run, where there are no such namespaces. */
  public void assume() throws IOException, InterruptedException {
    boolean isThere;
    try {
      isThere = run(Path.of("/dev/null"), SHORT, List.of("true")) == 0;
    } catch (IOException e) {
      isThere = false; // no unshare command
    }
    assumeTrue(isThere, "no mount namespaces here");
  }

  /**
   * Runs a command to its end; fails when that does not come in time.
   *
   * @param log gets what it writes
   * @return its exit code
   */
  public int run(Path log, Duration deadline, List<String> wrapped)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command(wrapped))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertTrue(
          process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS),
          () -> wrapped + " did not end within " + deadline);
    } finally {
      process.destroyForcibly();
    }
    return process.exitValue();
  }
}
