package dev.sailfish.benchmarks.start;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * {@link ServersMain} in a process of its own; loads nothing of the servers into this one.
 *
 * @param metaserver where it listens
 */
record ServersProcess(Process process, InetSocketAddress metaserver) {
  private static final long START_SECONDS = 60;
  private static final long STOP_SECONDS = 60;
  private static final long POLL_MILLIS = 10;

  /** Starts the servers with this JVM's class path and waits until they are warm. */
  static ServersProcess start() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-Dsailfish.log.level=WARN",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.sailfish.benchmarks.start.ServersMain")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      return new ServersProcess(process, new InetSocketAddress("127.0.0.1", awaitPort(process)));
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static int awaitPort(Process process) throws IOException, InterruptedException {
    BufferedReader out = process.inputReader(StandardCharsets.US_ASCII);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!out.ready()) {
      if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new IOException("servers did not start: exit code=" + process.exitValue());
      }
      if (System.nanoTime() - end > 0) {
        throw new IOException("servers are not ready: seconds=" + START_SECONDS);
      }
    }
    return Integer.parseInt(out.readLine());
  }

  /** Ends the servers, if need be by force. */
  void stop() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("servers had to be killed: seconds=" + STOP_SECONDS);
    }
  }
}
