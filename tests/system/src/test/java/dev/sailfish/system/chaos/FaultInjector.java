package dev.sailfish.system.chaos;

import static org.awaitility.Awaitility.await;

import dev.sailfish.system.chaos.Containers.Attempt;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * Makes the faults of one job happen, on a thread each, and puts everything right again when the
 * job has ended.
 */
final class FaultInjector {
  private static final long POLL_MS = 200;
  private static final long STOP_MS = 20_000;
  private static final long LONG_STOP_MS = 45_000;
  private static final long SPECULATION_MS = 90_000;
  private static final long SLOW_MS = 10_000;
  private static final long LOOK_MS = 15_000;
  private static final int MOST_SERVERS_DOWN = 2;
  private static final Duration FINISH = Duration.ofSeconds(180);

  private final ChaosCluster cluster;
  private final JobPlan plan;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<Injection>> running = new ArrayList<>();

  /** Servers that a fault has to itself. */
  private final Set<Daemon> taken = new HashSet<>();

  /** What a chunkserver that was given little room had before. */
  private final Map<Daemon, Properties> configurations = new HashMap<>();

  FaultInjector(ChaosCluster cluster, JobPlan plan) {
    this.cluster = cluster;
    this.plan = plan;
  }

  /** Injects what comes before the job. */
  List<Injection> prepare() throws Exception {
    List<Injection> done = new ArrayList<>();
    for (Fault fault : plan.faults()) {
      if (fault.moment() == Moment.BEFORE) {
        done.add(inject(fault));
      }
    }
    return done;
  }

  /** Injects while the job runs; returns when it has ended. */
  void drive(Future<?> job) throws Exception {
    JobWatch watch = new JobWatch(cluster, plan.spec().maps());
    Map<Fault, Long> dueNs = new HashMap<>();
    List<Fault> waiting = new ArrayList<>(plan.faults());
    waiting.removeIf(fault -> fault.moment() == Moment.BEFORE);
    while (!isDone(job)) {
      watch.look();
      long nowNs = System.nanoTime();
      for (Fault fault : List.copyOf(waiting)) {
        if (watch.reached(fault.moment())) {
          dueNs.putIfAbsent(fault, nowNs + TimeUnit.MILLISECONDS.toNanos(fault.delayMs()));
        }
        if (dueNs.containsKey(fault) && dueNs.get(fault) - nowNs <= 0) {
          waiting.remove(fault);
          running.add(threads.submit(() -> inject(fault)));
        }
      }
    }
    for (Fault fault : waiting) {
      running.add(threads.submit(() -> new Injection(fault, Optional.empty())));
    }
  }

  private static boolean isDone(Future<?> job) throws InterruptedException {
    try {
      job.get(POLL_MS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true; // whoever started the job looks at why
    }
  }

  /** Ends all faults, brings all servers back, and tells what was injected. */
  List<Injection> finish() throws Exception {
    ended.countDown();
    List<Injection> injections = new ArrayList<>();
    Exception failure = null;
    for (Future<Injection> one : running) {
      try {
        injections.add(one.get(FINISH.toMillis(), TimeUnit.MILLISECONDS));
      } catch (ExecutionException | TimeoutException e) {
        failure = e;
      }
    }
    threads.shutdownNow();
    for (Map.Entry<Daemon, Properties> before : configurations.entrySet()) {
      before.getKey().configure(before.getValue());
      before.getKey().end("TERM");
    }
    for (Daemon daemon : daemons()) {
      if (!daemon.isRunning()) {
        cluster.restart(daemon);
      }
    }
    for (Daemon daemon : daemons()) {
      await().atMost(FINISH).alias(daemon + " serves again").until(daemon::serves);
    }
    if (failure != null) {
      throw failure;
    }
    return injections;
  }

  private List<Daemon> daemons() {
    List<Daemon> daemons = new ArrayList<>(cluster.metaservers());
    daemons.addAll(cluster.chunkservers());
    return daemons;
  }

  /** Looks for something to hit until there is something, or the job has ended. */
  private Injection inject(Fault fault) throws Exception {
    SplittableRandom random = new SplittableRandom(fault.seed());
    boolean beforeJob = fault.moment() == Moment.BEFORE;
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LOOK_MS);
    Optional<String> target = strike(fault.kind(), random);
    while (target.isEmpty() && !pause(POLL_MS) && !(beforeJob && System.nanoTime() - endNs > 0)) {
      target = strike(fault.kind(), random);
    }
    return new Injection(fault, target);
  }

  private Optional<String> strike(FaultKind kind, SplittableRandom random) throws Exception {
    return switch (kind) {
      case KILL_MAP_ATTEMPT -> killTask(Attempt::isMap, random);
      case KILL_REDUCE_ATTEMPT -> killTask(attempt -> !attempt.isMap(), random);
      case SPECULATION -> speculate(random);
      case KILL_AM -> killMaster();
      case KILL_JOB -> killJob();
      case CHUNKSERVER_KILLED_FOR_GOOD -> killForGood(random);
      case CHUNKSERVER_RESTARTED -> restart(takeChunkserver(random), random);
      case METASERVER_RESTARTED -> restart(take(cluster.metaserver()), random);
      case ROLLING_RESTART -> restartAll();
      case STOPPED_20S -> stop(STOP_MS, random);
      case STOPPED_45S -> stop(LONG_STOP_MS, random);
      case CONNECTION_CUT -> disturb(random);
      case BIT_FLIP -> flipBit(random);
      case MEMORY_FULL -> giveLittleRoom(random, false);
      case DISK_FULL -> giveLittleRoom(random, true);
      case SLOW_SERVER -> slow(random);
    };
  }

  /** Waits; returns at once when the job has ended. */
  private boolean pause(long millis) throws InterruptedException {
    return ended.await(millis, TimeUnit.MILLISECONDS);
  }

  // ---- tasks
  // -------------------------------------------------------------------------------------

  private Optional<Attempt> choose(Predicate<Attempt> wanted, SplittableRandom random)
      throws IOException {
    List<Attempt> attempts = cluster.containers().attempts().stream().filter(wanted).toList();
    return attempts.isEmpty()
        ? Optional.empty()
        : Optional.of(attempts.get(random.nextInt(attempts.size())));
  }

  private Optional<String> killTask(Predicate<Attempt> wanted, SplittableRandom random)
      throws IOException, InterruptedException {
    Optional<Attempt> attempt = choose(wanted, random);
    return attempt.isPresent() && attempt.get().process().signal("KILL")
        ? Optional.of("killed " + attempt.get().id())
        : Optional.empty();
  }

  private Optional<String> killMaster() throws IOException, InterruptedException {
    Optional<RunningProcess> master = cluster.containers().master();
    return master.isPresent() && master.get().signal("KILL")
        ? Optional.of("killed the ApplicationMaster pid=" + master.get().pid())
        : Optional.empty();
  }

  private Optional<String> killJob() throws IOException, InterruptedException {
    List<String> killed = cluster.killApplications();
    return killed.isEmpty() ? Optional.empty() : Optional.of("killed " + killed);
  }

  private Optional<String> speculate(SplittableRandom random)
      throws IOException, InterruptedException {
    Optional<Attempt> slow = choose(Attempt::isMap, random);
    if (slow.isEmpty() || !slow.get().process().signal("STOP")) {
      return Optional.empty();
    }
    try {
      long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SPECULATION_MS);
      boolean second = false;
      boolean over = false;
      while (!second && !over) {
        over = pause(POLL_MS) || System.nanoTime() - endNs > 0;
        second = anotherAttemptRuns(slow.get());
      }
      pause(second ? random.nextLong(4_000) : 0);
      return second ? Optional.of(slow.get().id() + " had a second attempt") : Optional.empty();
    } finally {
      slow.get().process().signal("CONT");
    }
  }

  private boolean anotherAttemptRuns(Attempt slow) throws IOException {
    return cluster.containers().attempts().stream()
        .anyMatch(attempt -> attempt.task().equals(slow.task()) && !attempt.id().equals(slow.id()));
  }

  // ---- servers
  // -----------------------------------------------------------------------------------

  /** A running chunkserver that no other fault has; empty when too many are taken. */
  private synchronized Optional<Daemon> takeChunkserver(SplittableRandom random) {
    List<Daemon> free =
        cluster.chunkservers().stream()
            .filter(daemon -> !taken.contains(daemon) && daemon.isRunning())
            .toList();
    if (free.size() <= ChaosCluster.CHUNKSERVERS - MOST_SERVERS_DOWN) {
      return Optional.empty();
    }
    Daemon chosen = free.get(random.nextInt(free.size()));
    taken.add(chosen);
    return Optional.of(chosen);
  }

  private synchronized Optional<Daemon> take(Daemon daemon) {
    return taken.add(daemon) ? Optional.of(daemon) : Optional.empty();
  }

  private synchronized void giveBack(Daemon daemon) {
    taken.remove(daemon);
  }

  private Optional<String> killForGood(SplittableRandom random)
      throws IOException, InterruptedException {
    Optional<Daemon> server = takeChunkserver(random);
    if (server.isPresent()) {
      server.get().end("KILL");
    }
    return server.map(daemon -> "killed " + daemon + " for good");
  }

  private Optional<String> restart(Optional<Daemon> server, SplittableRandom random)
      throws IOException, InterruptedException {
    if (server.isEmpty()) {
      return Optional.empty();
    }
    String signal = random.nextBoolean() ? "KILL" : "TERM";
    long pauseMs = random.nextLong(10_000);
    server.get().end(signal);
    pause(pauseMs);
    cluster.restart(server.get());
    giveBack(server.get());
    return Optional.of("SIG" + signal + " to " + server.get() + ", again after " + pauseMs + " ms");
  }

  /** One after the other, each when the one before serves again; those of other faults are left. */
  private Optional<String> restartAll() throws IOException, InterruptedException {
    List<Daemon> restarted = new ArrayList<>();
    List<Daemon> all = daemons();
    Collections.rotate(all, -cluster.metaservers().size()); // these last
    for (Daemon daemon : all) {
      Optional<Daemon> server = daemon.isRunning() ? take(daemon) : Optional.empty();
      if (server.isPresent() && !pause(0)) {
        daemon.end("TERM");
        cluster.restart(daemon);
        restarted.add(daemon);
      }
      server.ifPresent(this::giveBack);
    }
    return restarted.isEmpty() ? Optional.empty() : Optional.of("restarted " + restarted);
  }

  private Optional<String> stop(long millis, SplittableRandom random)
      throws IOException, InterruptedException {
    if (random.nextInt(3) == 0) {
      Optional<Attempt> attempt = choose(any -> true, random);
      return attempt.isEmpty()
          ? Optional.empty()
          : stop(attempt.get().process(), attempt.get().id(), millis);
    }
    Optional<Daemon> server =
        random.nextInt(3) == 0 ? take(cluster.metaserver()) : takeChunkserver(random);
    if (server.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> stopped = stop(server.get().process(), server.get().name(), millis);
    giveBack(server.get());
    return stopped;
  }

  private Optional<String> stop(RunningProcess process, String name, long millis)
      throws IOException, InterruptedException {
    if (!process.signal("STOP")) {
      return Optional.empty();
    }
    try {
      pause(millis);
      return Optional.of("stopped " + name + " for up to " + millis + " ms");
    } finally {
      process.signal("CONT");
    }
  }

  private Optional<String> slow(SplittableRandom random) throws IOException, InterruptedException {
    Optional<Daemon> server = takeChunkserver(random);
    if (server.isEmpty()) {
      return Optional.empty();
    }
    RunningProcess process = server.get().process();
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SLOW_MS);
    boolean over = false;
    try {
      while (!over) {
        process.signal("STOP");
        pause(POLL_MS * 4);
        process.signal("CONT");
        over = pause(POLL_MS) || System.nanoTime() - endNs > 0;
      }
    } finally {
      process.signal("CONT");
    }
    giveBack(server.get());
    return Optional.of("slowed " + server.get());
  }

  private Optional<String> giveLittleRoom(SplittableRandom random, boolean diskToo)
      throws IOException, InterruptedException {
    Optional<Daemon> server = takeChunkserver(random);
    if (server.isEmpty()) {
      return Optional.empty();
    }
    Properties before = server.get().properties();
    Properties little = new Properties();
    little.putAll(before);
    little.setProperty("sailfish.chunkserver.memory.size", "1m");
    if (diskToo) {
      String disk = "sailfish.chunkserver.data.dirs";
      little.setProperty(disk, before.getProperty(disk) + ":capacity=2m");
    }
    configurations.put(server.get(), before);
    server.get().configure(little);
    server.get().end("TERM");
    cluster.restart(server.get());
    giveBack(server.get());
    return Optional.of(server.get() + " has little room");
  }

  // ---- network and bytes
  // -------------------------------------------------------------------------

  private Optional<String> disturb(SplittableRandom random)
      throws IOException, InterruptedException {
    List<Daemon> daemons = daemons();
    Daemon server = daemons.get(random.nextInt(daemons.size()));
    CuttingProxy proxy = cluster.proxyOf(server);
    long millis = random.nextLong(500, 12_000);
    int how = random.nextInt(4);
    if (how < 2) {
      int hit = how == 0 ? proxy.cut() : proxy.halfClose();
      String what = how == 0 ? "cut " : "half-closed ";
      return hit == 0 ? Optional.empty() : Optional.of(what + hit + " connections to " + server);
    }
    int before = proxy.disturbed();
    if (how == 2) {
      proxy.stall(true);
      pause(millis);
      proxy.stall(false);
      int stalled = proxy.disturbed() - before;
      return stalled == 0
          ? Optional.empty()
          : Optional.of(
              "stalled bytes "
                  + stalled
                  + " times to or from "
                  + server
                  + " for "
                  + millis
                  + " ms");
    }
    proxy.refuse(true);
    int cut = proxy.cut();
    pause(millis);
    proxy.refuse(false);
    int refused = proxy.disturbed() - before;
    return cut + refused == 0
        ? Optional.empty()
        : Optional.of(
            "cut "
                + cut
                + " and refused "
                + refused
                + " connections to "
                + server
                + " for "
                + millis
                + " ms");
  }

  private Optional<String> flipBit(SplittableRandom random) throws IOException {
    List<Daemon> servers = new ArrayList<>(cluster.chunkservers());
    ChunkFiles files = new ChunkFiles(cluster);
    Optional<String> flipped = Optional.empty();
    while (flipped.isEmpty() && !servers.isEmpty()) {
      Daemon server = servers.remove(random.nextInt(servers.size()));
      if (server.isRunning()) {
        try {
          flipped = files.flipBit(server, random);
        } catch (IOException e) {
          System.out.println("no bit of " + server + " can be flipped now: " + e);
        }
      }
    }
    return flipped;
  }
}
