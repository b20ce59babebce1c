package dev.sailfish.system.web;

import static dev.sailfish.system.web.Json.array;
import static dev.sailfish.system.web.Json.object;
import static dev.sailfish.system.web.Json.with;

import java.util.List;
import java.util.Map;

/**
 * Answers of the API as a cluster gives them: a job that runs, one with skewed keys that has ended,
 * one that has failed, and some more. Times are around the instant of construction.
 */
final class Samples {
  static final String LIVE = "job_1795728000000_0042";
  static final String SKEWED = "job_1795728000000_0041";
  static final String FAILED = "job_1795728000000_0040";

  static final long MIB = 1L << 20;
  static final long GIB = 1L << 30;
  private static final List<String> NAMES =
      List.of(
          "daily sessions",
          "join of clicks and users",
          "PigLatin:top queries",
          "word count of the archive",
          "TeraSort",
          "index of pages",
          "INSERT OVERWRITE TABLE sales_by_day");
  private static final List<String> USERS = List.of("ana", "ben", "etl", "carla");
  private static final List<String> QUEUES = List.of("default", "etl", "adhoc");

  final long now = System.currentTimeMillis();

  /** Sets the answers of all pages. */
  void answerAll(StubApi api) {
    api.answer("/jobs", jobs(14));
    api.answer("/jobs/" + LIVE, liveJob(0.62));
    api.answer("/jobs/" + SKEWED, skewedJob());
    api.answer("/jobs/" + FAILED, failedJob());
    SamplePlans plans = new SamplePlans(now);
    for (String job : List.of(LIVE, SKEWED, FAILED)) {
      api.answer("/jobs/" + job + "/ifiles", plans.ifiles(64, job.equals(FAILED)));
      api.answer("/jobs/" + job + "/ifiles/17/histogram", plans.histogram(17));
      api.answer("/jobs/" + job + "/plan", plans.plan(job.equals(LIVE) ? 0 : 64));
    }
    SampleCluster cluster = new SampleCluster(now);
    api.answer("/cluster", cluster.cluster(12));
    api.answer("/store", cluster.store());
    api.answer("/store/files", cluster.files());
    api.answer("/store/lineage", cluster.lineage());
  }

  /** The first page of a list of so many jobs. */
  Map<String, Object> jobs(int total) {
    return object(
        "items", array(Math.min(50, total), this::summary),
        "total", total,
        "page", 0,
        "size", 50,
        "heardMs", now,
        "users", USERS,
        "queues", QUEUES);
  }

  private Map<String, Object> summary(int index) {
    return switch (index) {
      case 0 -> summaryOf(liveJob(0.62));
      case 1 -> summaryOf(skewedJob());
      case 2 -> summaryOf(failedJob());
      default -> finishedSummary(index);
    };
  }

  private static Map<String, Object> summaryOf(Map<String, Object> job) {
    Map<String, Object> summary = with(job);
    for (String part : List.of("phases", "series", "counters", "events", "stragglers")) {
      summary.remove(part);
    }
    return summary;
  }

  private Map<String, Object> finishedSummary(int index) {
    long bytes = (index * 7919L % 900 + 20) * 37 * MIB;
    long begun = now - 8_000_000L - index * 1_234_000L;
    boolean killed = index % 9 == 5;
    return object(
        "id",
        "job_1795728000000_%04d".formatted(42 - index),
        "application",
        "application_1795728000000_%04d".formatted(42 - index),
        "name",
        NAMES.get(index % NAMES.size()),
        "user",
        USERS.get(index % USERS.size()),
        "queue",
        QUEUES.get(index % QUEUES.size()),
        "state",
        killed ? "KILLED" : "SUCCEEDED",
        "mode",
        index % 3 == 0 ? "fixed" : "auto",
        "maps",
        40 + index * 3,
        "mapsDone",
        killed ? 17 : 40 + index * 3,
        "reduces",
        8 + index,
        "reducesDone",
        killed ? 0 : 8 + index,
        "appendedBytes",
        bytes,
        "sortedBytes",
        killed ? bytes / 2 : bytes,
        "reducedBytes",
        killed ? 0 : bytes,
        "submittedMs",
        begun - 4_000,
        "startedMs",
        begun,
        "finishedMs",
        begun + 60_000 + bytes / 90_000,
        "level",
        index % 4 == 1 ? "watch" : "ok",
        "verdict",
        index % 4 == 1
            ? "Half of the time is the start of 62 reduce tasks with 4 MiB each."
            : "Nothing stands out.",
        "heardMs",
        now);
  }

  /** A job whose maps are done to this part; sorts run beside them. */
  Map<String, Object> liveJob(double part) {
    long begun = now - 154_000;
    long appended = (long) (part * 72 * GIB);
    long sorted = (long) (appended * 0.71);
    int maps = (int) (part * 288);
    return with(
        liveSummary(begun, appended, sorted, maps),
        "phases",
        List.of(
            phase("maps", begun + 2_000, null),
            phase("appends", begun + 6_000, null),
            phase("sorts", begun + 31_000, null),
            phase("plan", null, null),
            phase("reduces", null, null)),
        "series",
        array(
            78,
            i ->
                object(
                    "ms",
                    begun + i * 2_000L,
                    "mapsDone",
                    (int) (maps * Math.pow(i / 77.0, 1.2)),
                    "appendedBytes",
                    (long) (appended * Math.pow(i / 77.0, 1.15)),
                    "sortedBytes",
                    (long) (sorted * Math.pow(Math.max(0, i - 15) / 62.0, 1.3)),
                    "reducedBytes",
                    0,
                    "reducesDone",
                    0)),
        "counters",
        counters(appended, 0),
        "cost",
        object("taskCpuMs", 4_211_000L, "sortCpuMs", 96_000L, "wallMs", 154_000L),
        "previous",
        null,
        "heavyKeys",
        List.of(),
        "events",
        List.of(),
        "stragglers",
        List.of(),
        "links",
        links("0042"),
        "sources",
        sources(null));
  }

  private Map<String, Object> liveSummary(long begun, long appended, long sorted, int maps) {
    return object(
        "id",
        LIVE,
        "application",
        "application_1795728000000_0042",
        "name",
        "join of clicks and users",
        "user",
        "ana",
        "queue",
        "etl",
        "state",
        "RUNNING",
        "mode",
        "auto",
        "maps",
        288,
        "mapsDone",
        maps,
        "reduces",
        null,
        "reducesDone",
        0,
        "appendedBytes",
        appended,
        "sortedBytes",
        sorted,
        "reducedBytes",
        0L,
        "submittedMs",
        begun - 6_000,
        "startedMs",
        begun,
        "finishedMs",
        null,
        "level",
        "ok",
        "verdict",
        "Maps run as fast as their input lets them; sorting keeps up with them.",
        "heardMs",
        now);
  }

  /** A job that has ended, with a key that a tenth of its data has. */
  Map<String, Object> skewedJob() {
    long begun = now - 5_400_000;
    long bytes = 48 * GIB + 123_456_789;
    return with(
        skewedSummary(begun, bytes),
        "phases",
        List.of(
            phase("maps", begun + 3_000, begun + 221_000),
            phase("appends", begun + 7_000, begun + 222_000),
            phase("sorts", begun + 26_000, begun + 240_000),
            phase("plan", begun + 240_000, begun + 241_400),
            phase("reduces", begun + 241_400, begun + 409_000)),
        "series",
        series(begun, bytes),
        "counters",
        counters(bytes, bytes),
        "cost",
        object("taskCpuMs", 6_120_000L, "sortCpuMs", 214_000L, "wallMs", 412_000L),
        "previous",
        object(
            "id",
            "job_1795728000000_0017",
            "wallMs",
            688_000L,
            "taskCpuMs",
            9_940_000L,
            "sortCpuMs",
            231_000L,
            "appendedBytes",
            47 * GIB,
            "finishedMs",
            now - 92_000_000L),
        "heavyKeys",
        SamplePlans.heavyKeys(),
        "events",
        List.of(
            event(
                begun + 241_400,
                "PLAN_MADE",
                "",
                "64 partitions, 48.1 GiB -> 64 reduce tasks of 770 MiB: 1 partition split")),
        "stragglers",
        skewedStragglers(),
        "links",
        links("0041"),
        "sources",
        sources(null));
  }

  private Map<String, Object> skewedSummary(long begun, long bytes) {
    return object(
        "id",
        SKEWED,
        "application",
        "application_1795728000000_0041",
        "name",
        "daily sessions",
        "user",
        "etl",
        "queue",
        "etl",
        "state",
        "SUCCEEDED",
        "mode",
        "auto",
        "maps",
        192,
        "mapsDone",
        192,
        "reduces",
        64,
        "reducesDone",
        64,
        "appendedBytes",
        bytes,
        "sortedBytes",
        bytes,
        "reducedBytes",
        bytes,
        "submittedMs",
        begun - 5_000,
        "startedMs",
        begun,
        "finishedMs",
        begun + 412_000,
        "level",
        "watch",
        "verdict",
        "One key has 11 % of the bytes: reduce work 19 took 6.4 times as long as half of the"
            + " others.",
        "heardMs",
        now);
  }

  private static List<Object> skewedStragglers() {
    return List.of(
        object(
            "task",
            "task_1795728000000_0041_r_000019",
            "type",
            "reduce",
            "attempt",
            0,
            "host",
            "node-07",
            "elapsedMs",
            163_000,
            "medianMs",
            25_400,
            "bytes",
            5 * GIB + 300 * MIB,
            "why",
            "It has the key user:0, which cannot be split, with 5.29 GiB."),
        object(
            "task",
            "task_1795728000000_0041_m_000113",
            "type",
            "map",
            "attempt",
            1,
            "host",
            "node-11",
            "elapsedMs",
            88_000,
            "medianMs",
            31_000,
            "bytes",
            260 * MIB,
            "why",
            "Its first attempt was on a node that was lost."));
  }

  private static List<Object> series(long begun, long bytes) {
    return array(
        206,
        i -> {
          double maps = Math.min(1, i / 110.0);
          double sorts = Math.max(0, Math.min(1, (i - 12) / 108.0));
          double reduces = Math.max(0, Math.min(1, (i - 121) / 84.0));
          return object(
              "ms", begun + i * 2_000L,
              "mapsDone", (int) (192 * maps),
              "appendedBytes", (long) (bytes * maps),
              "sortedBytes", (long) (bytes * sorts),
              "reducedBytes", (long) (bytes * Math.pow(reduces, 0.6)),
              "reducesDone", (int) (64 * Math.pow(reduces, 1.3)));
        });
  }

  /** A job that lost a server and then failed in a reducer. */
  Map<String, Object> failedJob() {
    long begun = now - 9_000_000;
    List<Object> series = series(begun, 48 * GIB).subList(0, 150);
    Map<?, ?> last = (Map<?, ?>) series.get(149);
    return with(
        skewedJob(),
        "id",
        FAILED,
        "application",
        "application_1795728000000_0040",
        "name",
        "INSERT OVERWRITE TABLE sales_by_day",
        "user",
        "ben",
        "state",
        "FAILED",
        "mode",
        "fixed",
        "appendedBytes",
        48 * GIB,
        "sortedBytes",
        48 * GIB,
        "reducesDone",
        last.get("reducesDone"),
        "reducedBytes",
        last.get("reducedBytes"),
        "cost",
        object("taskCpuMs", 3_480_000L, "sortCpuMs", 187_000L, "wallMs", 301_000L),
        "counters",
        counters(48 * GIB, (Long) last.get("reducedBytes")),
        "submittedMs",
        begun - 3_000,
        "startedMs",
        begun,
        "finishedMs",
        begun + 301_000,
        "level",
        "bad",
        "verdict",
        "Reducer 3 failed four times: java.lang.ArithmeticException: / by zero.",
        "previous",
        null,
        "stragglers",
        List.of(),
        "heavyKeys",
        List.of(),
        "phases",
        failedPhases(begun),
        "series",
        series,
        "events",
        failedEvents(begun),
        "links",
        links("0040"),
        "sources",
        sources("it does not answer at history:19888 (connection refused)"));
  }

  private static List<Object> failedPhases(long begun) {
    return List.of(
        phase("maps", begun + 3_000, begun + 171_000),
        phase("appends", begun + 7_000, begun + 172_000),
        phase("sorts", begun + 26_000, begun + 190_000),
        phase("plan", null, null),
        phase("reduces", begun + 196_000, begun + 299_000));
  }

  private static List<Object> failedEvents(long begun) {
    return List.of(
        event(
            begun + 2_000,
            "PLAN_REFUSED",
            "",
            "Hive's job: a file of a bucketed table has its bucket's number, which is the"
                + " task's"),
        event(
            begun + 130_000,
            "MAP_RUNS_AGAIN",
            "task_1795728000000_0040_m_000018",
            "Its output in chunk 17.4 was lost with chunkserver node-04:19860."),
        event(
            begun + 130_400,
            "MAP_RUNS_AGAIN",
            "task_1795728000000_0040_m_000071",
            "Its output in chunk 17.4 was lost with chunkserver node-04:19860."),
        event(
            begun + 299_000,
            "FAILED",
            "task_1795728000000_0040_r_000003",
            "Four attempts failed, the last one with java.lang.ArithmeticException: / by"
                + " zero"));
  }

  private static Map<String, Object> phase(String name, Long from, Long to) {
    return object("name", name, "fromMs", from, "toMs", to);
  }

  private static Map<String, Object> event(long ms, String kind, String task, String text) {
    return object("ms", ms, "kind", kind, "task", task, "text", text);
  }

  private static Map<String, Object> links(String number) {
    return object(
        "yarn", "http://rm:8088/cluster/app/application_1795728000000_" + number,
        "history", "http://history:19888/jobhistory/job/job_1795728000000_" + number);
  }

  private List<Object> sources(String fault) {
    return List.of(
        object("name", "metaserver", "heardMs", now, "error", null),
        object("name", "resourcemanager", "heardMs", now, "error", null),
        object(
            "name",
            "history server",
            "heardMs",
            fault == null ? now : now - 72_000,
            "error",
            fault));
  }

  private static List<Object> counters(long appended, long reduced) {
    String task = "org.apache.hadoop.mapreduce.TaskCounter";
    return List.of(
        counter(task, "MAP_OUTPUT_RECORDS", "MAP_OUTPUT_RECORDS", appended / 96, 0),
        counter(task, "MAP_OUTPUT_BYTES", "MAP_OUTPUT_BYTES", appended, 0),
        counter(task, "SPILLED_RECORDS", "SPILLED_RECORDS", 0, 0),
        counter(task, "REDUCE_SHUFFLE_BYTES", "REDUCE_SHUFFLE_BYTES", 0, reduced),
        counter(
            task, "CPU_MILLISECONDS", "CPU_MILLISECONDS", 4_100_000, reduced == 0 ? 0 : 2_020_000),
        counter("Sailfish", "APPENDED_BYTES", "MAP_OUTPUT_MATERIALIZED_BYTES", appended, 0),
        counter("Sailfish", "APPENDS", null, appended / 65_536, 0),
        counter("Sailfish", "APPEND_WAIT_MS", null, 31_250, 0),
        counter("Sailfish", "CHUNKS_READ", "SHUFFLED_MAPS", 0, reduced / (128 * MIB)),
        counter("Sailfish", "READ_BYTES", "REDUCE_SHUFFLE_BYTES", 0, reduced),
        counter("Sailfish", "MERGE_WAIT_MS", null, 0, reduced == 0 ? 0 : 88_120),
        counter("Sailfish", "LOST_CHUNKS", "FAILED_SHUFFLE", 0, 0));
  }

  private static Map<String, Object> counter(
      String group, String name, String stock, long map, long reduce) {
    return object(
        "group",
        group,
        "name",
        name,
        "stock",
        stock,
        "map",
        map,
        "reduce",
        reduce,
        "total",
        map + reduce);
  }
}
