package dev.sailfish.benchmarks.jobs.watch;

import dev.sailfish.benchmarks.jobs.measure.MeasuredRunner;
import dev.sailfish.localcluster.Await;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.LocalCluster;
import dev.sailfish.localcluster.MasterCpu;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.localcluster.client.JobRequest;
import dev.sailfish.localcluster.client.RunningJob;
import dev.sailfish.localcluster.client.RunningJobs;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * What it costs that a job is watched: one job, looked at in stretches with and without clients.
 * For one thread.
 */
public final class WatchBench {
  /** After a change, and not looked at: connections are made, and what was missed is read. */
  private static final Duration SETTLING = Duration.ofSeconds(5);

  /** After the first map, and not looked at: the ApplicationMaster's code is compiled. */
  private static final Duration WARM_UP = Duration.ofSeconds(15);

  private static final Duration LIVE_DEADLINE = Duration.ofMinutes(5);
  private static final Duration WEB_DEADLINE = Duration.ofSeconds(60);
  private static final Duration END_DEADLINE = Duration.ofMinutes(70);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final double HUNDREDTHS = 100;

  private final LocalCluster cluster;
  private final MeasuredRunner runner;
  private final Duration stretch;
  private final Consumer<String> progress;

  /** The job while it runs. */
  private record Watched(String id, Future<String> end, MasterCpu masters) {
    URI events(DaemonRecord web) {
      return URI.create(web.web() + "/api/v1/events?topic=job:" + id);
    }

    /** Waits; returns whether the job ended meanwhile. */
    boolean endsWithin(Duration time) {
      return new Await(time, POLL).holdsInTime(end::isDone);
    }
  }

  /**
   * @param cluster with a web process, which is killed and started again
   * @param stretch how long the job is looked at in each run
   * @param progress receives a line for each step
   */
  public WatchBench(
      LocalCluster cluster, MeasuredRunner runner, Duration stretch, Consumer<String> progress) {
    this.cluster = cluster;
    this.runner = runner;
    this.stretch = stretch;
    this.progress = progress;
  }

  /**
   * Runs the job to its end, in stretches while its maps run: without a web process, with one that
   * nobody listens to, and with clients; in every other round backwards.
   *
   * @param clients how many listen
   * @return what was looked at; the last one is not valid when the job ended too early
   * @throws CommandException when the job fails, or a client hears nothing
   */
  public List<WatchRun> run(JobRequest job, int clients, int rounds) {
    String tag = "watched-" + UUID.randomUUID();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (MasterCpu masters = MasterCpu.watch(cluster.state())) {
      Future<String> end = thread.submit(() -> runner.runUnmeasured("watched", job.tagged(tag)));
      Watched watched = new Watched(awaitLive(tag, end), end, masters);
      watched.endsWithin(WARM_UP);
      List<WatchRun> runs = stretches(watched, clients, rounds);
      startWeb(true);
      progress.accept("waiting for the end of " + watched.id());
      awaitEnd(end);
      return runs;
    } finally {
      thread.shutdownNow();
    }
  }

  private String awaitLive(String tag, Future<String> end) {
    RunningJobs jobs =
        RunningJobs.of(cluster.layout().conf(), tag)
            .orElseThrow(() -> new CommandException("The cluster names no ResourceManager."));
    List<String> found = new ArrayList<>();
    new Await(LIVE_DEADLINE, POLL)
        .until(
            () -> {
              jobs.current()
                  .filter(job -> job.mapsDone() > 0)
                  .map(RunningJob::id)
                  .ifPresent(found::add);
              return !found.isEmpty() || end.isDone();
            },
            () -> "No map of the job is done after " + LIVE_DEADLINE.toSeconds() + " s.");
    if (found.isEmpty()) {
      awaitEnd(end);
      throw new CommandException("The job ended before it was seen: give it more --maps.");
    }
    return found.get(0);
  }

  private static void awaitEnd(Future<String> end) {
    try {
      end.get(END_DEADLINE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("Interrupted while a job ran.", e);
    } catch (ExecutionException e) {
      throw new CommandException("The job that was watched: " + e.getCause().getMessage(), e);
    } catch (TimeoutException e) {
      throw new CommandException(
          "The job that was watched runs on after " + END_DEADLINE.toMinutes() + " minutes.", e);
    }
  }

  private List<WatchRun> stretches(Watched watched, int clients, int rounds) {
    List<WatchRun> runs = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      List<String> order =
          new ArrayList<>(List.of(WatchRun.NO_WEB, "0", Integer.toString(clients)));
      if (round % 2 == 0) {
        Collections.reverse(order);
      }
      for (String watchers : order) {
        progress.accept("round %d of %d: %s".formatted(round, rounds, watchers));
        WatchRun run = stretch(watched, watchers, round);
        runs.add(run);
        if (watched.end().isDone()) {
          progress.accept("INVALID: the job ended: give it more --maps, or less --seconds");
          return runs;
        }
      }
    }
    return runs;
  }

  private WatchRun stretch(Watched watched, String watchers, int round) {
    if (watchers.equals(WatchRun.NO_WEB)) {
      startWeb(false);
      return look(watched, watchers, round, EventClients.none());
    }
    startWeb(true);
    DaemonRecord web = cluster.state().web().orElseThrow();
    awaitSeen(watched, web);
    try (EventClients clients =
        EventClients.open(watched.events(web), Integer.parseInt(watchers))) {
      return look(watched, watchers, round, clients);
    }
  }

  private void startWeb(boolean wanted) {
    DaemonRecord web = cluster.state().web().orElseThrow();
    if (wanted) {
      cluster.startAgain(web);
    } else {
      cluster.kill(web);
    }
  }

  private static void awaitSeen(Watched watched, DaemonRecord web) {
    RestClient pages = new RestClient(web.web());
    new Await(WEB_DEADLINE, POLL)
        .until(
            () -> watched.end().isDone() || pages.get("/api/v1/jobs/" + watched.id()).isPresent(),
            () ->
                "The web process does not show %s within %d s."
                    .formatted(watched.id(), WEB_DEADLINE.toSeconds()));
  }

  private WatchRun look(Watched watched, String watchers, int round, EventClients clients) {
    watched.endsWithin(SETTLING);
    int[] heard = clients.heard();
    Cpu before = Cpu.now(cluster.state(), watched.masters());
    long startNs = System.nanoTime();
    boolean ended = watched.endsWithin(stretch);
    double seconds = (System.nanoTime() - startNs) / 1e9;
    Cpu used = Cpu.now(cluster.state(), watched.masters()).percentSince(before, seconds);
    int[] events = clients.heard();
    Arrays.setAll(events, client -> events[client] - heard[client]);
    String failures = clients.failures();
    int least = Arrays.stream(events).min().orElse(0);
    boolean silent = events.length > 0 && least == 0;
    if (silent || !failures.isEmpty()) {
      progress.accept("INVALID: a client heard nothing " + failures);
    }
    Memory memory =
        cluster.state().web().filter(DaemonRecord::isRunning).map(Memory::of).orElse(Memory.NONE);
    return new WatchRun(
        watchers,
        round,
        rounded(seconds),
        rounded(used.master()),
        rounded(used.metaservers()),
        rounded(used.resourceManager()),
        rounded(used.web()),
        rounded(memory.rssMb()),
        rounded(memory.heapMb()),
        least,
        Arrays.stream(events).sum(),
        !ended && !silent && failures.isEmpty());
  }

  private static double rounded(double value) {
    return Math.round(value * HUNDREDTHS) / HUNDREDTHS;
  }
}
