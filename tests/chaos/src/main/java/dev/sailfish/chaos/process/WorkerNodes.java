package dev.sailfish.chaos.process;

import static org.awaitility.Awaitility.await;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Further worker processes beside one that runs, each a host of its own to its master, by an
 * address of the loopback interface. For one thread.
 */
public final class WorkerNodes implements Closeable {
  private static final Duration START = Duration.ofSeconds(90);
  private static final Duration END = Duration.ofSeconds(30);
  private static final int FIRST_HOST = 11;

  private final List<RunningProcess> processes = new ArrayList<>();

  private WorkerNodes() {}

  /** Makes a worker of a host out of the one that runs. */
  public interface Configuration {
    /**
     * Writes what the worker needs.
     *
     * @param host its address
     * @param first the worker that runs
     * @return what starts the other one
     */
    ProcessImage of(String host, ProcessImage first) throws IOException;
  }

  /**
   * Starts workers and waits until all are known.
   *
   * @param pid of the worker that runs already
   * @param count how many there are to be besides
   * @param logs their outputs go there
   * @param known whether their master knows all
   */
  public static WorkerNodes start(
      long pid, int count, Path logs, Configuration configuration, BooleanSupplier known)
      throws IOException {
    ProcessImage first =
        ProcessImage.of(
            RunningProcess.read(pid)
                .orElseThrow(() -> new IOException("no worker runs: pid=" + pid)));
    WorkerNodes nodes = new WorkerNodes();
    boolean good = false;
    try {
      for (int number = 0; number < count; number++) {
        String host = "127.0.0." + (FIRST_HOST + number);
        nodes.processes.add(
            configuration.of(host, first).start(logs.resolve("worker-" + host + ".log")));
      }
      await()
          .atMost(START)
          .pollInterval(Duration.ofMillis(300))
          .alias("the master knows workers=" + (count + 1) + ", see " + logs)
          .until(known::getAsBoolean);
      good = true;
      return nodes;
    } finally {
      if (!good) {
        nodes.close();
      }
    }
  }

  /** Ends them and waits until they have ended. */
  @Override
  public void close() throws IOException {
    for (RunningProcess process : processes) {
      process.handle().destroy();
    }
    for (RunningProcess process : processes) {
      await()
          .atMost(END)
          .alias("worker pid=" + process.pid() + " ends")
          .until(() -> !process.isRunning());
    }
  }
}
