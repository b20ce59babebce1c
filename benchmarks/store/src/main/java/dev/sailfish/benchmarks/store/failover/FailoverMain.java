package dev.sailfish.benchmarks.store.failover;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Fills three masters, kills the one that leads again and again, and prints what clients saw. The
 * last line is a JSON object.
 *
 * <pre>
 *   FailoverMain DIRECTORY FILES KILLS HEAP SNAPSHOT-ENTRIES
 * </pre>
 */
final class FailoverMain {
  private static final int FILLERS = 4;
  private static final int CLIENTS = 4;
  private static final long SNAPSHOT_DEADLINE_S = 240;
  private static final long LONGEST_BETWEEN_KILLS_MS = 3_000;
  private static final double NS_PER_MS = 1e6;

  private final Masters masters;
  private final long files;
  private final ExecutorService threads = Executors.newCachedThreadPool(FailoverMain::thread);
  private final List<Load> loads = new ArrayList<>();
  private final StringBuilder json = new StringBuilder();

  private FailoverMain(Masters masters, long files) {
    this.masters = masters;
    this.files = files;
  }

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    long files = Long.parseLong(arguments[1]);
    int kills = Integer.parseInt(arguments[2]);
    int snapshotEntries = Integer.parseInt(arguments[4]);
    try (Masters masters = new Masters(directory, arguments[3], snapshotEntries)) {
      new FailoverMain(masters, files).measure(kills);
    }
  }

  /** One that waits for masters keeps nobody from ending. */
  static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "failover");
    thread.setDaemon(true);
    return thread;
  }

  private void measure(int kills) throws Exception {
    put("files", files);
    put("kills", kills);
    try (IdleWorker worker = new IdleWorker(masters.addresses(), Masters.credentials())) {
      long emptyBytes = masters.leader().heapBytes();
      fill(worker.place());
      long fullBytes = masters.leader().heapBytes();
      put("heap_bytes", fullBytes);
      put("heap_bytes_per_file", (fullBytes - emptyBytes) / files);
      for (int i = 0; i < CLIENTS; i++) {
        loads.add(new Load(masters.addresses(), 1_000 + i, worker.place()));
        threads.submit(loads.get(i));
      }
      snapshot(worker.place());
      kill(kills);
      loads.forEach(Load::end);
    }
    System.out.println("{" + json + "}");
  }

  private void put(String name, double value) {
    json.append(json.isEmpty() ? "" : ", ")
        .append(String.format(Locale.ROOT, "\"%s\": %.1f", name, value));
    System.out.printf(Locale.ROOT, "%s %.1f%n", name, value);
    System.out.flush();
  }

  private void fill(int place) throws Exception {
    MasterProcess leader = masters.leader();
    long startNs = System.nanoTime();
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < FILLERS; i++) {
      Filling filling = new Filling(leader.address(), 1 + i, place);
      running.add(
          threads.submit(
              () -> {
                filling.fill(files / FILLERS);
                return null;
              }));
    }
    for (Future<?> each : running) {
      each.get();
    }
    put("filled_per_s", files / ((System.nanoTime() - startNs) / 1e9));
    masters.awaitFiles(leader.gauge("files"));
  }

  /** What a snapshot of the leader costs clients, while files are made until one is written. */
  private void snapshot(int place) throws Exception {
    MasterProcess leader = masters.leader();
    SnapshotWatch watch = new SnapshotWatch(leader);
    Filling filling = new Filling(leader.address(), 1 + FILLERS, place);
    AtomicBoolean isSeen = new AtomicBoolean();
    Future<?> more = threads.submit(() -> filling.fill(files, isSeen::get));
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SNAPSHOT_DEADLINE_S);
    while (watch.windows().isEmpty() && !more.isDone() && System.nanoTime() - endNs < 0) {
      watch.look();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    isSeen.set(true);
    more.get();
    List<Long> during = new ArrayList<>();
    List<Long> beside = new ArrayList<>();
    for (Load load : loads) {
      for (Load.Change change : load.takeChanges()) {
        boolean isDuring = watch.windows().stream().anyMatch(each -> each.overlaps(change));
        (isDuring ? during : beside).add(change.takenNs());
      }
    }
    if (!watch.windows().isEmpty()) {
      put("snapshot_ms", watch.windows().get(0).takenNs() / NS_PER_MS);
      put("snapshot_bytes", watch.bytes());
      percentiles("change_during_snapshot_ms", during, NS_PER_MS);
    }
    percentiles("change_ms", beside, NS_PER_MS);
  }

  private void kill(int kills) throws IOException {
    Random random = new Random(files);
    List<Long> gaps = new ArrayList<>();
    List<Long> returns = new ArrayList<>();
    int before = LeadTimes.ofAll(masters.all()).size();
    for (int i = 0; i < kills; i++) {
      MasterProcess leader = masters.leader();
      masters.awaitReady();
      long waitMs = random.nextLong(LONGEST_BETWEEN_KILLS_MS);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(waitMs));
      long killedNs = System.nanoTime();
      loads.forEach(load -> load.killed(killedNs));
      leader.kill();
      for (Load load : loads) {
        Masters.await("a client goes on", load::goesOn);
      }
      loads.forEach(load -> gaps.add(load.gapNs()));
      loads.forEach(Load::takeChanges);
      System.out.printf("kill %d: gap ms %d%n", i + 1, loads.get(0).gapNs() / 1_000_000);
      System.out.flush();
      long startNs = System.nanoTime();
      leader.start();
      masters.awaitReady();
      returns.add(System.nanoTime() - startNs);
    }
    put("load_average", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    percentiles("gap_ms", gaps, NS_PER_MS);
    percentiles("back_ms", returns, NS_PER_MS);
    List<Long> leads = LeadTimes.ofAll(masters.all());
    percentiles(
        "elected_to_serving_ms", leads.subList(Math.min(before, leads.size()), leads.size()), 1);
  }

  private void percentiles(String name, List<Long> values, double unit) {
    List<Long> sorted = values.stream().sorted().toList();
    if (!sorted.isEmpty()) {
      put(name + "_p50", percentile(sorted, 50) / unit);
      put(name + "_p99", percentile(sorted, 99) / unit);
      put(name + "_max", sorted.get(sorted.size() - 1) / unit);
    }
  }

  private static long percentile(List<Long> sorted, int percent) {
    return sorted.get((int) Math.ceil(percent / 100.0 * sorted.size()) - 1);
  }
}
