package dev.sailfish.localcluster.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Hands what a process prints to those who take it, on a thread for each stream. */
final class Pumps {
  private static final int BUFFER = 8192;

  /** A process of the client's own may go on with its streams open. */
  private static final long END_MS = 2_000;

  private final Optional<JobClient.Printed> out;
  private final Optional<JobClient.Printed> err;
  private final List<Thread> threads = new ArrayList<>();

  Pumps(Optional<JobClient.Printed> out, Optional<JobClient.Printed> err) {
    this.out = out;
    this.err = err;
  }

  /** Begins. */
  void start(Process process) {
    out.ifPresent(taker -> start(process.getInputStream(), taker));
    err.ifPresent(taker -> start(process.getErrorStream(), taker));
  }

  private void start(InputStream from, JobClient.Printed taker) {
    Thread thread = new Thread(() -> pump(from, taker), "job-client-output");
    thread.setDaemon(true);
    thread.start();
    threads.add(thread);
  }

  private static void pump(InputStream from, JobClient.Printed taker) {
    byte[] buffer = new byte[BUFFER];
    try (from) {
      for (int length = from.read(buffer); length >= 0; length = from.read(buffer)) {
        taker.take(buffer, length);
      }
    } catch (IOException e) {
      // Nobody listens any more: the client's next write fails, as it would without a pump.
    }
  }

  /** Waits until all that the process has printed is taken. */
  void join() {
    try {
      for (Thread thread : threads) {
        thread.join(END_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
