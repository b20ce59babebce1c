package dev.sailfish.benchmarks.qfs;

import dev.sailfish.benchmarks.SortRecords;
import dev.sailfish.format.RecordCursor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The same records of several map tasks, appended at once and sorted: by a QFS with the chunksorter
 * beside it, and by our own servers. Contenders take turns; the first round warms them up. All
 * records are read after each round, and counted, summed up and checked for their order. Prints a
 * line for each round of each, and the medians as JSON:
 *
 * <ul>
 *   <li>append_mb_s: MB of records a second until all appends are acknowledged or committed
 *   <li>total_mb_s: until all records can be read in key order
 *   <li>client_cpu_s_gb, server_cpu_s_gb: CPU seconds for a GB of records until then. Over QFS the
 *       client sorts; of our own servers the server does
 * </ul>
 *
 * <p>Arguments: see {@link Arguments}.
 */
public final class ChunkserversOverQfs {
  private static final double NS_PER_S = 1e9;
  private static final double MB = 1e6;

  private final Arguments arguments;
  private final List<byte[]> records = new ArrayList<>();
  private final RecordCheck.Found expected;
  private final long bytes;

  /** What was measured of one round. */
  record Result(double appendS, double totalS, double clientCpuS, double serverCpuS) {}

  private ChunkserversOverQfs(Arguments arguments) throws IOException {
    this.arguments = arguments;
    int perMap = (int) (((long) arguments.mib() << 20) / arguments.maps() / SortRecords.LENGTH);
    for (int map = 0; map < arguments.maps(); map++) {
      records.add(new SortRecords(map).nextBlock(perMap));
    }
    RecordCheck check = new RecordCheck();
    RecordCursor cursor = new RecordCursor();
    for (byte[] ofMap : records) {
      cursor.reset(ofMap, 0, ofMap.length, false);
      while (cursor.next()) {
        check.count(ofMap, cursor.keyOffset(), cursor.keyLength(), cursor.valueLength());
      }
    }
    expected = check.found();
    bytes = expected.records() * SortRecords.LENGTH;
  }

  /** Measures and prints. */
  public static void main(String[] words) throws Exception {
    Arguments arguments = Arguments.parse(words);
    ChunkserversOverQfs experiment = new ChunkserversOverQfs(arguments);
    try (QfsContender qfs = new QfsContender(arguments);
        OwnContender own = new OwnContender(arguments)) {
      experiment.run(List.of(qfs, own));
    }
  }

  private void run(List<Contender> contenders) throws Exception {
    List<List<Result>> results = new ArrayList<>();
    contenders.forEach(contender -> results.add(new ArrayList<>()));
    for (int round = 0; round <= arguments.rounds(); round++) {
      for (int turn = 0; turn < contenders.size(); turn++) {
        int which = (turn + round) % contenders.size();
        Result result = measure(contenders.get(which), round);
        System.out.println(
            "round %d %s".formatted(round, json(contenders.get(which).name(), result)));
        if (round > 0) {
          results.get(which).add(result);
        }
      }
    }
    for (int which = 0; which < contenders.size(); which++) {
      System.out.println(json(contenders.get(which).name(), median(results.get(which))));
    }
  }

  private Result measure(Contender contender, int round) throws Exception {
    Duration serversBefore = contender.serverCpu();
    Duration clientBefore = clientCpu();
    long startNs = System.nanoTime();
    appendAll(contender, round);
    long appendedNs = System.nanoTime();
    contender.sort(round);
    long sortedNs = System.nanoTime();
    Result result =
        new Result(
            (appendedNs - startNs) / NS_PER_S,
            (sortedNs - startNs) / NS_PER_S,
            clientCpu().minus(clientBefore).toNanos() / NS_PER_S,
            contender.serverCpu().minus(serversBefore).toNanos() / NS_PER_S);
    RecordCheck.Found found = contender.finish(round);
    if (!found.equals(expected)) {
      throw new IllegalStateException(
          "%s has other records than were appended: %s, expected %s"
              .formatted(contender.name(), found, expected));
    }
    return result;
  }

  private static Duration clientCpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElseThrow();
  }

  private void appendAll(Contender contender, int round) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(arguments.maps());
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int map = 0; map < arguments.maps(); map++) {
        int number = map;
        running.add(
            threads.submit(
                () -> {
                  contender.append(round, number, records.get(number));
                  return null;
                }));
      }
      for (Future<?> one : running) {
        one.get(10, TimeUnit.MINUTES);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Of each figure by itself. */
  private static Result median(List<Result> results) {
    return new Result(
        middle(results.stream().mapToDouble(Result::appendS).sorted().toArray()),
        middle(results.stream().mapToDouble(Result::totalS).sorted().toArray()),
        middle(results.stream().mapToDouble(Result::clientCpuS).sorted().toArray()),
        middle(results.stream().mapToDouble(Result::serverCpuS).sorted().toArray()));
  }

  private static double middle(double[] sorted) {
    return sorted[sorted.length / 2];
  }

  private String json(String name, Result result) {
    double gb = bytes / NS_PER_S;
    return String.format(
        Locale.ROOT,
        "{\"contender\":\"%s\",\"mb\":%.0f,\"maps\":%d,\"append_mb_s\":%.0f,\"total_mb_s\":%.0f,"
            + "\"client_cpu_s_gb\":%.2f,\"server_cpu_s_gb\":%.2f,\"cpu_s_gb\":%.2f}",
        name,
        bytes / MB,
        arguments.maps(),
        bytes / MB / result.appendS(),
        bytes / MB / result.totalS(),
        result.clientCpuS() / gb,
        result.serverCpuS() / gb,
        (result.clientCpuS() + result.serverCpuS()) / gb);
  }
}
