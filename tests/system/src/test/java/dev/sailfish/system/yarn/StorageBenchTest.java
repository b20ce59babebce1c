package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.system.SailfishCommand.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The benchmarks of storage at sizes at which their figures say nothing. */
@Timeout(600)
class StorageBenchTest {
  @TempDir private static Path directory;
  private static YarnCluster cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    cluster =
        YarnCluster.start(
            directory, "--lineage-workers=1", "-Dsailfish.lineage.worker.idle.release=2s");
  }

  @AfterAll
  static void stopCluster() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  /** A report with runs of all contenders and works, all valid. */
  private static JsonNode store(String contenders, String works) throws Exception {
    Path report = directory.resolve("store.json");
    cluster.succeed(
        "bench",
        "store",
        "--mb=2",
        "--files=4",
        "--objects=3",
        "--threads=2",
        "--contenders=" + contenders,
        "--works=" + works,
        "--json=" + report);
    JsonNode json = new ObjectMapper().readTree(report.toFile());
    for (JsonNode run : json.path("runs")) {
      assertThat(run.path("valid").asBoolean()).as("%s", run).isTrue();
      assertThat(run.path("threads").asInt()).isEqualTo(2);
      assertThat(run.path("round").asInt()).isEqualTo(1);
      boolean inBytes = run.path("work").asText().matches("write|read|read-mapped|objects.*");
      assertThat(run.path(inBytes ? "mb_s" : "per_s").asDouble()).isPositive();
      assertThat(run.has(inBytes ? "per_s" : "mb_s")).isFalse();
    }
    return json;
  }

  private static Set<String> whoDid(JsonNode json, String work) {
    Set<String> who = new TreeSet<>();
    json.path("runs")
        .forEach(
            run -> {
              if (run.path("work").asText().equals(work)) {
                who.add(run.path("contender").asText());
              }
            });
    return who;
  }

  @Test
  void shouldCompareStorages() throws Exception {
    JsonNode json = store("java,checked,store,lineage", "write,read-mapped,stats");
    for (String work : List.of("write", "stats")) {
      assertThat(whoDid(json, work)).containsExactly("checked", "java", "lineage", "store");
      assertThat(json.path("summary").path(work + " 2").path("store_ratio").asDouble())
          .isPositive();
    }
    assertThat(whoDid(json, "read-mapped")).containsExactly("checked", "java", "store");
    assertThat(json.path("summary").path("write 2").path("java_ratio").asDouble()).isEqualTo(1);
  }

  @Test
  @Tag("long")
  void shouldCompareAllStorages() throws Exception {
    String works = "files-1m,files-1m-read,creates,objects-64mb,objects-1mb-read";
    JsonNode json = store("java,shm,raw,store,lineage", works);
    for (String work : works.split(",")) {
      assertThat(whoDid(json, work))
          .as(work)
          .containsExactly("java", "lineage", "raw", "shm", "store");
    }
  }

  @Test
  void shouldRefuseAnotherNumberOfMasters() throws Exception {
    Result refused = cluster.run(List.of("bench", "store", "--masters=3", "--works=stats"));
    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.output()).contains("to have 3 masters").contains("has 1");
  }

  @Test
  @Tag("long")
  void shouldAskThreeMasters() throws Exception {
    YarnCluster three =
        YarnCluster.start(
            Files.createDirectory(directory.resolve("three")),
            "--lineage-masters=3",
            "--lineage-workers=1",
            "-Dsailfish.lineage.worker.idle.release=2s");
    try {
      Path report = directory.resolve("masters.json");
      three.succeed(
          "bench",
          "store",
          "--masters=3",
          "--contenders=store,lineage",
          "--works=creates,stats",
          "--files=40",
          "--threads=4",
          "--in-flight=8",
          "--json=" + report);
      JsonNode json = new ObjectMapper().readTree(report.toFile());
      assertThat(json.path("masters").asInt()).isEqualTo(3);
      assertThat(json.path("runs")).hasSize(4);
      assertThat(json.path("runs")).allMatch(run -> run.path("valid").asBoolean());
    } finally {
      three.stop();
    }
  }

  @Test
  @Tag("long")
  void shouldCompareWithHdfs() throws Exception {
    String works = "write,read,read-mapped,files-1m,files-1m-read,creates,stats,objects-64mb";
    JsonNode json = store("java,hdfs1,hdfs3", works);
    for (String work : works.split(",")) {
      assertThat(whoDid(json, work)).as(work).containsExactly("hdfs1", "hdfs3", "java");
    }
    try (var memory = Files.newDirectoryStream(Path.of("/dev/shm"), "sailfish-bench-*")) {
      assertThat(memory).as("data in memory").isEmpty();
    }
  }

  @Test
  @Tag("long")
  void shouldSortInEachStorage() throws Exception {
    Path report = directory.resolve("two-level.json");
    cluster.succeed("bench", "two-level", "--mb=2", "--maps=2", "--reduces=1", "--json=" + report);
    JsonNode json = new ObjectMapper().readTree(report.toFile());
    assertThat(json.path("runs")).hasSize(3);
    for (JsonNode run : json.path("runs")) {
      assertThat(run.path("valid").asBoolean()).as("%s", run).isTrue();
      assertThat(run.path("map_s").asDouble()).isPositive();
    }
    for (String storage : List.of("hdfs", "limited", "two-level")) {
      assertThat(json.path("summary").path(storage).path("map_s_speedup").asDouble()).isPositive();
    }
    // Programs of jobs that were recorded stay for a day, and with them the memory tier.
    cluster.succeed("fs", "-rm", "-r", "-skipTrash", "lineage:///.lineage/programs");
  }

  @Test
  void shouldDrawAMountain() throws Exception {
    Path report = directory.resolve("mountain.json");
    Path figures = directory.resolve("figures");
    cluster.succeed(
        "bench",
        "storage-mountain",
        "--data=4,2",
        "--skip=0,64,2048",
        "--most=4",
        "--contenders=store",
        "--path=lineage:///mountains",
        "--second-level=500m",
        "--figures=" + figures,
        "--json=" + report);
    JsonNode json = new ObjectMapper().readTree(report.toFile());
    assertThat(json.path("failures")).isEmpty();
    assertThat(json.path("runs")).as("the skip of 2 MiB is for the larger file").hasSize(4 * 5);
    assertThat(json.path("summary")).hasSize(4 * 5);
    for (JsonNode run : json.path("runs")) {
      assertThat(run.path("mb_s").asDouble()).as("%s", run).isPositive();
    }
    List<String> csv = Files.readAllLines(figures.resolve("storage-mountain-store.csv"));
    assertThat(csv.get(0)).isEqualTo("data,skip 0 KiB MB/s,skip 64 KiB MB/s,skip 2 MiB MB/s");
    assertThat(csv.get(1)).startsWith("2 MiB,").endsWith(",");
    assertThat(csv.get(2)).startsWith("4 MiB,").doesNotEndWith(",");
    assertThat(figures.resolve("storage-mountain-lineage-mountains.svg")).isNotEmptyFile();
  }
}
