package dev.sailfish.benchmarks.store;

import dev.sailfish.ground.wire.Network;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Runs one kind of work in this JVM, looks at what came of it, and prints {@code figure N}: how
 * many MB, or files, it did a second.
 *
 * <pre>
 *   StoreClientMain KIND PLACE WORK MIB FILES OBJECTS THREADS     KIND, PLACE: see Storages
 * </pre>
 */
final class StoreClientMain {
  /** A large file has a block of the size that blocks have when it is measured. */
  private static final Load WARM_UP = new Load(128 << 20, 100, 16);

  /**
   * So that what is measured is compiled, for all contenders, and in their servers too: those of
   * the lineage store take 4000 files of 1 MiB for that, and what checks a mapping some GiB.
   */
  private static final int WARM_UPS = 256;

  /** For each of these that is measured, so many warm-ups: a small bench is soon ready. */
  private static final Load LITTLE = new Load(16 << 20, 100, 16);

  private static final int WARM_UPS_OF_LITTLE = 4;

  /** Slow ones are warm by then. */
  private static final long WARM_UP_NS = TimeUnit.SECONDS.toNanos(15);

  /**
   * What was deleted before is deleted then in servers, too: they hear of it with a heartbeat, and
   * a gigabyte takes a tenth of a second of a processor. Plain files are gone at once, which no
   * figure has.
   */
  private static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(3);

  /** Bytes that are deleted within a few milliseconds: no wait for that. */
  private static final long FEW_BYTES = 64 << 20;

  /** Where memory is touched for what is written, and how many copies a storage makes. */
  private static final Path MEMORY =
      Path.of(System.getProperty("sailfish.bench.memory", "/dev/shm"));

  private static final int COPIES = Integer.getInteger("sailfish.bench.copies", 1);
  private static final double NS_PER_S = 1e9;

  private StoreClientMain() {}

  public static void main(String[] arguments) throws Exception {
    Storages storages = new Storages(arguments[0], arguments[1]);
    StoreWork named = StoreWork.of(arguments[2]);
    int threads = Integer.parseInt(arguments[6]);
    Load load =
        new Load(
                Long.parseLong(arguments[3]) << 20,
                Integer.parseInt(arguments[4]),
                Integer.parseInt(arguments[5]))
            .share(threads);
    Work work = named.work();
    List<Storage> opened = open(storages, "thread-", threads);
    warmUp(storages, work, load, threads);
    for (Storage storage : opened) {
      work.prepare(storage, load);
    }
    TouchedMemory memory = TouchedMemory.hold(MEMORY, COPIES * threads * work.written(load));
    try (memory) {
      long settleNs = threads * load.total() > FEW_BYTES ? SETTLE_NS : 0;
      Network.SOCKETS.pause(Network.SOCKETS.nanoTime() + settleNs, "what was deleted before");
    }
    double seconds = run(work, opened, load);
    for (Storage storage : opened) {
      work.verify(storage, load);
      storage.clear();
      storage.close();
    }
    System.out.printf(Locale.ROOT, "figure %.1f%n", threads * named.figure(load, seconds));
    System.out.flush();
  }

  private static List<Storage> open(Storages storages, String directory, int threads)
      throws IOException {
    List<Storage> opened = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      opened.add(storages.open(directory + i));
    }
    return opened;
  }

  /**
   * Each time under names that are new, as those are that are measured, and by as many threads:
   * what the store does depends on whether a processor is free.
   */
  private static void warmUp(Storages storages, Work work, Load measured, int threads)
      throws Exception {
    Load load = measured.atMost(WARM_UP);
    int rounds = Math.min(WARM_UPS, WARM_UPS_OF_LITTLE * measured.times(LITTLE));
    long startNs = System.nanoTime();
    for (int i = 0; i < rounds && System.nanoTime() - startNs < WARM_UP_NS; i++) {
      List<Storage> opened = open(storages, "warm-up-" + i + "-", threads);
      for (Storage storage : opened) {
        work.prepare(storage, load);
      }
      run(work, opened, load);
      for (Storage storage : opened) {
        storage.clear();
        storage.close();
      }
    }
  }

  private static double run(Work work, List<Storage> storages, Load load) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(storages.size());
    try {
      List<Future<?>> running = new ArrayList<>();
      long startNs = System.nanoTime();
      for (Storage storage : storages) {
        running.add(
            threads.submit(
                () -> {
                  work.run(storage, load);
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
      return (System.nanoTime() - startNs) / NS_PER_S;
    } finally {
      threads.shutdown();
    }
  }
}
