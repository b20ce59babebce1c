package dev.sailfish.benchmarks.store;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Runs one kind of work in this JVM, and prints how many MB, or files, it did a second.
 *
 * <pre>
 *   StoreClientMain java PLACE WORK MB FILES THREADS             PLACE: a directory
 *   StoreClientMain store HOST:PORT[;HOST:PORT...],SECRET-FILE WORK MB FILES THREADS
 * </pre>
 */
final class StoreClientMain {
  private static final int WARM_UP_MB = 16;
  private static final int WARM_UP_FILES = 100;

  /** So that what is measured is compiled, for all contenders. */
  private static final int WARM_UPS = 20;

  private static final double MB = 1e6;

  private StoreClientMain() {}

  public static void main(String[] arguments) throws Exception {
    StoreWork work = StoreWork.valueOf(arguments[2].toUpperCase(Locale.ROOT).replace('-', '_'));
    long bytes = Long.parseLong(arguments[3]) << 20;
    int files = Integer.parseInt(arguments[4]);
    int threads = Integer.parseInt(arguments[5]);
    List<Storage> storages = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      storages.add(storage(arguments[0], arguments[1], "thread-" + i));
    }
    Storage warmUp = storage(arguments[0], arguments[1], "warm-up");
    long smaller = Math.min(bytes, (long) WARM_UP_MB << 20);
    for (int i = 0; i < WARM_UPS; i++) {
      work.prepare(warmUp, smaller, Math.min(files, WARM_UP_FILES));
      work.run(warmUp, smaller, Math.min(files, WARM_UP_FILES));
    }
    for (Storage storage : storages) {
      work.prepare(storage, bytes / threads, files / threads);
    }
    double seconds = run(work, storages, bytes / threads, files / threads);
    double done =
        work.inBytes ? bytes / threads * threads / MB : (double) (files / threads * threads);
    System.out.printf(Locale.ROOT, "%.1f%n", done / seconds);
    System.out.flush();
    storages.add(warmUp);
    for (Storage storage : storages) {
      storage.clear();
      storage.close();
    }
  }

  private static double run(StoreWork work, List<Storage> storages, long bytes, int files)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(storages.size());
    List<Future<?>> running = new ArrayList<>();
    long startNs = System.nanoTime();
    for (Storage storage : storages) {
      running.add(
          threads.submit(
              () -> {
                work.run(storage, bytes, files);
                return null;
              }));
    }
    for (Future<?> each : running) {
      each.get();
    }
    double seconds = (System.nanoTime() - startNs) / 1e9;
    threads.shutdown();
    return seconds;
  }

  private static Storage storage(String contender, String place, String directory)
      throws IOException {
    return switch (contender) {
      case "java" -> new JavaFiles(Path.of(place).resolve(directory));
      case "store" -> new LineageFiles(config(place), "/bench/" + directory);
      default -> throw new IllegalArgumentException("no such contender: " + contender);
    };
  }

  private static StoreClientConfig config(String place) throws IOException {
    String[] parts = place.split(",");
    List<InetSocketAddress> masters =
        Stream.of(parts[0].split(";"))
            .map(one -> one.split(":"))
            .map(one -> new InetSocketAddress(one[0], Integer.parseInt(one[1])))
            .toList();
    byte[] secret = ClusterSecret.read("secret of the store", Path.of(parts[1]));
    return new StoreClientConfig(
        masters,
        Network.SOCKETS,
        Credentials.ofCluster(secret),
        StoreUser.newBuilder().setName("bench").setSuperuser(true).build(),
        Set.of(masters.get(0).getHostString()),
        StoreClientConfig.DEFAULT_BUFFER_BYTES,
        Duration.ofSeconds(60));
  }
}
