package dev.sailfish.system.web;

import static dev.sailfish.system.web.Json.array;
import static dev.sailfish.system.web.Json.object;
import static dev.sailfish.system.web.Json.with;
import static dev.sailfish.system.web.Samples.GIB;
import static dev.sailfish.system.web.Samples.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Servers, the store and its files as the API gives them. */
final class SampleCluster {
  private static final String VERSION = "0.1.0";
  private static final long HOUR_MS = 3_600_000;
  private static final long DAY_MS = 24 * HOUR_MS;

  private final long now;

  SampleCluster(long now) {
    this.now = now;
  }

  /** A cluster of three metaservers and so many chunkservers, one of which does not answer. */
  Map<String, Object> cluster(int chunkservers) {
    List<Object> servers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String name = "meta-" + (i + 1);
      servers.add(with(server("metaserver", name, 19850), "leads", i == 0, "tiers", List.of()));
    }
    servers.addAll(array(chunkservers, this::chunkserver));
    servers.add(with(server("lineage-master", "meta-1", 19880), "leads", true));
    servers.add(with(server("workflow", "meta-1", 19890), "version", VERSION));
    return object(
        "servers",
        servers,
        "users",
        List.of(
            object("user", "etl", "jobs", 2, "kept", 1, "ifiles", 384, "bytes", 91 * GIB),
            object("user", "ana", "jobs", 1, "kept", 0, "ifiles", 64, "bytes", 44 * GIB)),
        "quota",
        object("ifiles", 10_000, "bytes", 100 * GIB),
        "ledMs",
        now,
        "brake",
        "",
        "advice",
        List.of(
            object(
                "level", "watch",
                "server", "node-06:19860",
                "text", "Its certificate ends in 9 days: renew it, and start the server again."),
            object(
                "level", "bad",
                "server", "node-04:19860",
                "text",
                    "It has been silent for 48 s and its chunks are lost: look at its log, or"
                        + " start it again with the same directories.")),
        "heardMs",
        now);
  }

  private Map<String, Object> chunkserver(int index) {
    String name = "node-%02d".formatted(index + 1);
    Map<String, Object> server =
        with(
            server("chunkserver", name, 19860),
            "rack",
            "/rack-" + (index % 2 + 1),
            "tiers",
            List.of(
                tier("memory", (index % 5 + 2) * 900 * MIB, 8 * GIB),
                tier("disk", index == 8 ? 950 * GIB : (40 + index * 11) * GIB, 960 * GIB)),
            "backlogChunks",
            index % 4 * 3,
            "backlogBytes",
            index % 4 * 3 * 128 * MIB);
    if (index == 3) {
      return with(server, "up", false, "ready", false, "heardMs", now - 48_000);
    }
    if (index == 5) {
      return with(server, "certificateEndMs", now + 9 * DAY_MS + HOUR_MS);
    }
    if (index == 8) {
      return with(server, "draining", true, "chunksLeft", 212, "version", "0.0.9");
    }
    return server;
  }

  private Map<String, Object> server(String kind, String name, int port) {
    return object(
        "kind",
        kind,
        "name",
        name,
        "address",
        name + ":" + port,
        "web",
        "http://" + name + ":" + (port + 1),
        "rack",
        null,
        "up",
        true,
        "ready",
        true,
        "leads",
        false,
        "version",
        VERSION,
        "certificateEndMs",
        now + 283 * DAY_MS + HOUR_MS,
        "heardMs",
        now,
        "tiers",
        List.of(),
        "backlogChunks",
        null,
        "backlogBytes",
        null,
        "draining",
        false,
        "chunksLeft",
        null,
        "warnings",
        List.of(),
        "failing",
        List.of());
  }

  private static Map<String, Object> tier(String name, long used, long capacity) {
    return object("name", name, "usedBytes", used, "capacityBytes", capacity);
  }

  /** The store: two workers, and a queue. */
  Map<String, Object> store() {
    return object(
        "present",
        true,
        "names",
        184_233,
        "writing",
        12,
        "pins",
        3,
        "workers",
        array(
            3,
            i ->
                with(
                    server("lineage-worker", "node-0" + (i + 1), 19885),
                    "tiers",
                    List.of(
                        tier("memory", (5 + i) * GIB, 8 * GIB),
                        tier("disk", (40 + 9 * i) * GIB, 400 * GIB)))),
        "unhealthy",
        List.of("2 files are lost and nothing is recorded of how they were made"),
        "lost",
        lost(),
        "checkpoints",
        object(
            "queue",
                array(
                    24,
                    i ->
                        object(
                            "path",
                            "/warehouse/sessions/2026-11-26/part-r-%05d".formatted(i),
                            "fid",
                            9_000 + i,
                            "bytes",
                            (60 + i * 7) * MIB,
                            "stage",
                            i < 2 ? "copying" : i == 23 ? "held" : "waiting",
                            "worker",
                            i < 2 ? "node-0" + (i + 1) + ":19885" : null,
                            "why",
                            why(i))),
            "waiting", 131,
            "oldestMs", 754_000,
            "runningBytes", 402 * MIB,
            "waitingBytes", 14 * GIB,
            "writtenBytes", 220 * GIB,
            "savedBytes", 618 * GIB),
        "synchronous",
        false,
        "heardMs",
        now);
  }

  private static String why(int place) {
    if (place == 23) {
      return "held: hdfs://warehouse:8020/warehouse does not answer within 30000 ms";
    }
    return place < 2 ? "copying at node-0" + (place + 1) + ":19885" : "waiting";
  }

  private static List<Object> lost() {
    return List.of(
        object(
            "path", "/warehouse/sessions/part-r-00004",
            "fid", "2335",
            "state", "recomputing",
            "progress", "step 1 of 2: 12 of 28 tasks have succeeded",
            "waiting", List.of("application_1795728000000_0042")),
        object(
            "path", "/warehouse/sessions/part-r-00009",
            "fid", "233a",
            "state", "lost",
            "progress", "given up: its program is not in the store any more",
            "waiting", List.of()));
  }

  /** A directory of it. */
  Map<String, Object> files() {
    List<Object> items = new ArrayList<>();
    items.add(file("raw", "", 0, now - 88_000_000L, true));
    items.add(file("users", "", 0, now - 188_000_000L, true));
    List<String> states =
        List.of("stored", "checkpointing", "below", "lost", "recomputing", "writing");
    for (int i = 0; i < 12; i++) {
      String state = states.get(i % states.size());
      Map<String, Object> file =
          file("part-r-%05d".formatted(i), state, (60 + i * 7) * MIB, now - 3_600_000L, false);
      items.add(
          with(
              file,
              "pinned",
              i == 1,
              "progress",
              state.equals("recomputing") ? "12 of 28 tasks have succeeded" : null,
              "where",
              state.equals("stored") ? List.of("node-01:19885", "node-03:19885") : List.of()));
    }
    return object("path", "/warehouse/sessions", "items", items, "more", false);
  }

  private static Map<String, Object> file(
      String name, String state, long bytes, long modified, boolean directory) {
    return object(
        "name",
        name,
        "directory",
        directory,
        "bytes",
        bytes,
        "modifiedMs",
        modified,
        "owner",
        "etl",
        "group",
        "data",
        "mode",
        directory ? "rwxr-xr-x" : "rw-r--r--",
        "pinned",
        false,
        "where",
        List.of(),
        "state",
        state,
        "progress",
        null);
  }

  /** What one of the files was made of. */
  Map<String, Object> lineage() {
    List<Object> nodes = new ArrayList<>();
    List<Object> edges = new ArrayList<>();
    nodes.add(node("d1", "dependency", "daily sessions", "recorded", "wide"));
    nodes.add(node("d2", "dependency", "clean clicks", "recorded", "narrow"));
    for (int i = 0; i < 4; i++) {
      nodes.add(node("r" + i, "file", "/warehouse/raw/clicks-" + i, "below", null));
      nodes.add(node("c" + i, "file", "/warehouse/clean/part-m-0000" + i, "stored", null));
      edges.add(List.of("r" + i, "d2"));
      edges.add(List.of("d2", "c" + i));
      edges.add(List.of("c" + i, "d1"));
    }
    nodes.add(node("u", "file", "/warehouse/users/part-r-00000", "stored", null));
    edges.add(List.of("u", "d1"));
    for (int i = 0; i < 3; i++) {
      String state = i == 0 ? "recomputing" : "stored";
      nodes.add(node("s" + i, "file", "/warehouse/sessions/part-r-0000" + i, state, null));
      edges.add(List.of("d1", "s" + i));
    }
    return object("nodes", nodes, "edges", edges);
  }

  private static Map<String, Object> node(
      String id, String kind, String name, String state, String type) {
    return object("id", id, "kind", kind, "name", name, "state", state, "type", type);
  }
}
