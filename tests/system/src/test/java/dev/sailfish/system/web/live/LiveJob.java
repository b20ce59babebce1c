package dev.sailfish.system.web.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A job that was started.
 *
 * @param id {@code job_…}
 * @param end the exit code of its client
 * @param output its output directory
 * @param log of its client
 * @param history where Hadoop keeps the history of jobs
 */
record LiveJob(String id, CompletableFuture<Integer> end, Path output, Path log, Path history) {
  private static final Duration END = Duration.ofMinutes(4);

  /** The path of its page. */
  String page() {
    return "/jobs/" + id;
  }

  /** Whether its client still waits for it. */
  boolean runs() {
    return !end.isDone();
  }

  /** Waits until it has succeeded. */
  void awaitSuccess() throws Exception {
    assertThat(exitCode()).as("exit code; %s", said()).isZero();
  }

  /** Waits until it has failed. */
  void awaitFailure() throws Exception {
    assertThat(exitCode()).as("exit code; %s", said()).isEqualTo(1);
  }

  private int exitCode() throws Exception {
    return end.get(END.toSeconds(), TimeUnit.SECONDS);
  }

  /** What its client has printed. */
  String said() throws IOException {
    return Files.readString(log);
  }

  /** What Hadoop's history says of it, once it is there. */
  HadoopHistory inHistory() {
    return HadoopHistory.await(history, id);
  }
}
