package dev.sailfish.chaos.process;

import static org.awaitility.Awaitility.await;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Further worker processes beside one that runs, each a host of its own to its master, by an
 * address of the loopback interface. For one thread.
 */
public final class WorkerNodes implements Closeable {
  private static final Duration START = Duration.ofSeconds(90);
  private static final Duration END = Duration.ofSeconds(30);
  private static final int FIRST_HOST = 11;

  /** How many there are to be, as their master knows them. */
  public interface Known {
    /** Whether so many run, the one that was there before among them. */
    boolean running(int workers);
  }

  private record Worker(String host, ProcessImage image, Path log, RunningProcess process) {
    Worker again() throws IOException {
      return new Worker(host, image, log, image.start(log));
    }
  }

  private final List<Worker> workers = new ArrayList<>();
  private final Known known;

  private WorkerNodes(Known known) {
    this.known = known;
  }

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
   * @param known what their master knows
   */
  public static WorkerNodes start(
      long pid, int count, Path logs, Configuration configuration, Known known) throws IOException {
    ProcessImage first =
        ProcessImage.of(
            RunningProcess.read(pid)
                .orElseThrow(() -> new IOException("no worker runs: pid=" + pid)));
    WorkerNodes nodes = new WorkerNodes(known);
    boolean good = false;
    try {
      for (int number = 0; number < count; number++) {
        String host = "127.0.0." + (FIRST_HOST + number);
        ProcessImage image = configuration.of(host, first);
        Path log = logs.resolve("worker-" + host + ".log");
        nodes.workers.add(new Worker(host, image, log, image.start(log)));
      }
      nodes.awaitRunning(count);
      good = true;
      return nodes;
    } finally {
      if (!good) {
        nodes.close();
      }
    }
  }

  private void awaitRunning(int count) {
    await()
        .atMost(START)
        .pollInterval(Duration.ofMillis(300))
        .alias("the master knows workers=" + (count + 1))
        .until(() -> known.running(count + 1));
  }

  /** The hosts that have a worker which runs. */
  public List<String> hosts() {
    return workers.stream()
        .filter(worker -> worker.process().isRunning())
        .map(Worker::host)
        .toList();
  }

  /** SIGKILL of a host's worker. */
  public void kill(String host) throws IOException, InterruptedException {
    for (Worker worker : workers) {
      if (worker.host().equals(host)) {
        worker.process().signal("KILL");
      }
    }
  }

  /** Starts those again that were killed, once their master knows that they are gone. */
  public void repair() throws IOException {
    List<Worker> running = workers.stream().filter(worker -> worker.process().isRunning()).toList();
    if (running.size() < workers.size()) {
      awaitRunning(running.size());
      for (int i = 0; i < workers.size(); i++) {
        if (!running.contains(workers.get(i))) {
          workers.set(i, workers.get(i).again());
        }
      }
      awaitRunning(workers.size());
    }
  }

  /** Ends them and waits until they have ended. */
  @Override
  public void close() throws IOException {
    for (Worker worker : workers) {
      worker.process().handle().destroy();
    }
    for (Worker worker : workers) {
      await()
          .atMost(END)
          .alias("worker pid=" + worker.process().pid() + " ends")
          .until(() -> !worker.process().isRunning());
    }
  }
}
