package dev.sailfish.cli.progress;

import dev.sailfish.cli.inspect.Metaservers;
import dev.sailfish.localcluster.client.JobClient;
import dev.sailfish.localcluster.client.RunningJob;
import dev.sailfish.localcluster.client.RunningJobs;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Shows how far the jobs of a program are, on a daemon thread of its own, from its start to {@link
 * #close}; the program waits for nothing of it. The plan of each job is printed once, in the end at
 * last: a short job is over before anybody looks.
 */
public final class JobProgress implements AutoCloseable {
  private static final long INTERVAL_MS = 1_000;

  /** How long the last look may take, when the program is over. */
  private static final long LAST_LOOK_MS = 3_000;

  private final RunningJobs jobs;
  private final IfileProgress ifiles;
  private final Screen screen;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "job-progress");

  /** Jobs whose plan was printed. */
  private final Set<String> planned = new HashSet<>();

  private JobProgress(RunningJobs jobs, Optional<Metaservers> metaservers, Screen screen) {
    this.jobs = jobs;
    ifiles = new IfileProgress(metaservers);
    this.screen = screen;
  }

  /**
   * Begins.
   *
   * @param jobs of the program
   * @param metaservers of the cluster, asked as long as they answer; absent: not asked
   * @param live whether standard error is a terminal on which a line may change
   */
  public static JobProgress start(
      RunningJobs jobs, Optional<Metaservers> metaservers, boolean live) {
    Screen screen = live ? liveLine() : new PlainLines(System.err);
    JobProgress progress = new JobProgress(jobs, metaservers, screen);
    progress.thread.setDaemon(true);
    progress.thread.start();
    return progress;
  }

  private static LiveLine liveLine() {
    List<PrintStream> terminals = new ArrayList<>(List.of(System.err));
    if (isTerminal(1)) {
      terminals.add(System.out);
    }
    return new LiveLine(System.err, terminals.toArray(new PrintStream[0]));
  }

  /** Whether standard error is a terminal that can erase a line. */
  public static boolean hasTerminal() {
    String kind = System.getenv().getOrDefault("TERM", "dumb");
    return !kind.equals("dumb") && isTerminal(2);
  }

  private static boolean isTerminal(int descriptor) {
    try {
      String file = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty");
    } catch (IOException e) {
      return false; // closed
    }
  }

  /** What has to take what the program prints to one of this process's streams, if anything. */
  public Optional<JobClient.Printed> others(PrintStream stream) {
    return screen.others(stream);
  }

  private void run() {
    try (ifiles) {
      while (!closed.await(INTERVAL_MS, TimeUnit.MILLISECONDS)) {
        jobs.current().ifPresent(this::show);
      }
      jobs.current().ifPresent(job -> showPlan(job.id(), job.plan()));
      jobs.plansOfEnded().forEach(this::showPlan);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      screen.end(); // an answer or an address that is none: there is nothing to show
    }
  }

  private void show(RunningJob job) {
    showPlan(job.id(), job.plan());
    screen.show(ProgressText.line(job, ifiles.of(job.id())));
  }

  private void showPlan(String job, String plan) {
    if (!plan.isEmpty() && planned.add(job)) {
      screen.print(job + ": " + plan);
    }
  }

  /** Looks once more for plans, for some seconds at most, and takes the line away. */
  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join(LAST_LOOK_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    screen.end();
  }
}
