package dev.sailfish.benchmarks.jobs.storage;

import dev.sailfish.localcluster.Distribution;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs client processes, each in a JVM of its own. */
public final class StorageClient {
  private static final List<String> FLAGS = List.of("-Xmx1g", "-XX:+UseSerialGC");
  private static final int LINES_SHOWN = 40;

  private final Distribution distribution;
  private final Duration deadline;
  private final Consumer<String> progress;
  private final List<String> more;

  /**
   * @param deadline of each process
   * @param progress is told what a process said that failed
   */
  public StorageClient(Distribution distribution, Duration deadline, Consumer<String> progress) {
    this(distribution, deadline, progress, List.of());
  }

  private StorageClient(
      Distribution distribution, Duration deadline, Consumer<String> progress, List<String> more) {
    this.distribution = distribution;
    this.deadline = deadline;
    this.progress = progress;
    this.more = more;
  }

  /** One that runs processes with these flags, too. */
  public StorageClient withFlags(List<String> flags) {
    return new StorageClient(distribution, deadline, progress, List.copyOf(flags));
  }

  /**
   * Runs one and waits for its end.
   *
   * @param mainClass in package {@code dev.sailfish.benchmarks.store}
   * @param arguments behind kind and place
   * @param heading with which the lines begin that are wanted
   * @return the rest of these lines; empty when the process failed or did not end in time
   */
  public Optional<List<String>> run(
      StoragePlace place, String mainClass, List<String> arguments, String heading)
      throws IOException {
    List<String> all = new ArrayList<>(List.of(place.kind(), place.place()));
    all.addAll(arguments);
    List<String> flags = new ArrayList<>(FLAGS);
    flags.addAll(place.flags());
    flags.addAll(more);
    Process client =
        new ProcessBuilder(
                distribution.javaCommand(
                    flags, place.classPath(), "dev.sailfish.benchmarks.store." + mainClass, all))
            .redirectErrorStream(true)
            .start();
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    try (BufferedReader out = client.inputReader()) {
      clock.schedule(client::destroyForcibly, deadline.toSeconds(), TimeUnit.SECONDS);
      List<String> said = out.lines().toList();
      if (client.waitFor() == 0) {
        return Optional.of(
            said.stream()
                .filter(line -> line.startsWith(heading + " "))
                .map(line -> line.substring(heading.length() + 1))
                .toList());
      }
      said.stream().limit(LINES_SHOWN).forEach(progress);
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a client ran");
    } finally {
      clock.shutdownNow();
      client.destroyForcibly();
    }
  }
}
