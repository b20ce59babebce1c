package dev.sailfish.system.web;

import static dev.sailfish.system.web.Json.array;
import static dev.sailfish.system.web.Json.object;
import static dev.sailfish.system.web.Samples.GIB;
import static dev.sailfish.system.web.Samples.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** I-files, histograms and plans as the API gives them; the same for the same arguments. */
final class SamplePlans {
  static final int HEAVY_WORK = 19;
  private static final int HEAVY_BAR = 57;
  private static final List<Integer> BORDERS = List.of(14, 28, 43, HEAVY_BAR, 58, 73, 89, 105);
  private final long now;

  SamplePlans(long now) {
    this.now = now;
  }

  /** Keys that are heavier than the target. */
  static List<Object> heavyKeys() {
    return List.of(
        object("partition", 17, "key", "user:0", "bytes", 5 * GIB + 300 * MIB),
        object("partition", 4, "key", "user:anonymous", "bytes", 780 * MIB));
  }

  private static long noise(int index, int most) {
    return Math.floorMod(index * 2_654_435_761L, 1_000_003L) % most;
  }

  /** So many I-files; one of them is much larger, and some have lost chunks if that is wanted. */
  Map<String, Object> ifiles(int count, boolean lost) {
    return object("items", array(count, i -> ifile(i, lost)), "heardMs", now);
  }

  private static Map<String, Object> ifile(int index, boolean lost) {
    long bytes = (index == 17 ? 6_200 : 520 + noise(index, 260)) * MIB;
    int chunks = (int) (bytes / (128 * MIB)) + 1;
    int gone = lost && index % 21 == 17 ? 1 : 0;
    int open = index % 9 == 3 ? 1 : 0;
    int stable = index % 5 == 1 ? 2 : 0;
    return object(
        "partition", index,
        "racks", index % 3 == 0 ? List.of("/rack-1", "/rack-2") : List.of("/rack-1"),
        "chunks", chunks,
        "open", open,
        "stable", stable,
        "sorted", chunks - gone - open - stable,
        "lost", gone,
        "bytes", bytes,
        "storedBytes", (long) (bytes * 0.41),
        "records", bytes / 96);
  }

  /** Where the bytes of a partition lie: a heavy key in the middle. */
  Map<String, Object> histogram(int partition) {
    return object(
        "partition", partition,
        "bars",
            array(
                120,
                i ->
                    object(
                        "key",
                        keyOf(i),
                        "bytes",
                        i == HEAVY_BAR ? 5 * GIB + 300 * MIB : (4 + noise(i, 9)) * MIB,
                        "records",
                        (4 + noise(i, 9)) * 10_000)),
        "splits",
            array(
                BORDERS.size(),
                i ->
                    object(
                        "key",
                        i == 4 ? "user:0\\x00" : keyOf(BORDERS.get(i)),
                        "work",
                        HEAVY_WORK - 3 + i,
                        "bar",
                        BORDERS.get(i))),
        "heavyKeys", heavyKeys().subList(0, 1));
  }

  private static String keyOf(int bar) {
    return bar == HEAVY_BAR ? "user:0" : "user:%06d".formatted(bar * 8_191);
  }

  /** A plan for so many partitions, of which the 17th is split; none yet for 0. */
  Map<String, Object> plan(int partitions) {
    List<Object> works = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      boolean several = partition % 7 == 2 && partition != 16;
      for (int range = 0; range < (partition == 17 ? 9 : 1); range++) {
        works.add(work(works.size(), partition, range, several));
      }
      partition += several ? 1 : 0;
    }
    boolean made = partitions > 0;
    return object(
        "mode",
        "auto",
        "why",
        "asked for by sailfish.reduce.work",
        "targetBytes",
        made ? 540 * MIB : null,
        "targetReason",
        made
            ? "64 tasks fill the two waves that 32 containers need for 48.1 GiB; more would"
                + " each cost a start of 2.1 s"
            : null,
        "partitions",
        partitions,
        "refusals",
        made
            ? List.of(
                object(
                    "partition", 44, "reason", "most of it is in runs with fewer than four keys"))
            : List.of(),
        "heavyKeys",
        made ? heavyKeys() : List.of(),
        "works",
        works,
        "heardMs",
        now);
  }

  private static Map<String, Object> work(int index, int partition, int range, boolean several) {
    boolean heavy = partition == 17 && range == 4;
    long planned = heavy ? 5 * GIB + 300 * MIB : (310 + noise(index, 210)) * MIB;
    long actual = planned + (noise(index + 7, 90) - 45) * MIB;
    boolean piece = partition == 17;
    return object(
        "work",
        index,
        "first",
        partition,
        "last",
        several ? partition + 1 : partition,
        "range",
        range,
        "from",
        piece && range > 0 ? "user:%06d".formatted(range * 91_000) : null,
        "to",
        piece && range < 8 ? "user:%06d".formatted((range + 1) * 91_000) : null,
        "plannedBytes",
        planned,
        "mostBytes",
        planned + (piece ? 40 * MIB : 0),
        "plannedRecords",
        planned / 96,
        "actualBytes",
        actual,
        "fetchedBytes",
        actual / 5 * 2,
        "actualRecords",
        actual / 96,
        "elapsedMs",
        heavy ? 163_000 : 19_000 + noise(index, 13_000),
        "state",
        "DONE");
  }
}
