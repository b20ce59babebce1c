package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.system.SailfishCommand.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Tasks on real YARN: what they load, what they say when they cannot start, encrypted ones. */
class YarnTasksTest extends YarnTest {
  /** Of a job's first map, which introduces the job. */
  private static final int MOST_MAP_CLASSES = 164;

  private static final int MOST_REDUCE_CLASSES = 158;

  /** A class costs each task, so those of the client jar are counted; a JVM start is no measure. */
  @Test
  void tasksShouldLoadFewClassesOfOurs() throws Exception {
    Path report = temporary.resolve("task-start.json");
    cluster.succeed("bench", "task-start", "--json", report.toString());
    JsonNode starts = new ObjectMapper().readTree(report.toFile()).path("starts");
    assertThat(starts).hasSize(2);
    assertThat(starts.get(0).path("map_client_classes").asInt()).isZero();
    JsonNode ours = starts.get(1);
    assertThat(ours.path("map_client_classes").asInt()).isBetween(1, MOST_MAP_CLASSES);
    assertThat(ours.path("reduce_client_classes").asInt()).isBetween(1, MOST_REDUCE_CLASSES);
    assertThat(ours.path("reduce_classes").asInt())
        .isLessThan(starts.get(0).path("reduce_classes").asInt());
    for (String task : List.of("map", "reduce")) {
      assertThat(tlsClasses("sailfish", task))
          .as("classes of TLS in a %s task that does not speak it", task)
          .isSubsetOf(tlsClasses("stock", task));
    }
  }

  /** What a task of the job before has loaded of the JDK's TLS and of ours. */
  private static List<String> tlsClasses(String shuffle, String task) throws IOException {
    Path log = temporary.resolve("cluster/logs/classes-" + shuffle + "-1-" + task + ".log");
    List<String> lines = Files.readAllLines(log);
    assertThat(lines).as("classes in %s", log).hasSizeGreaterThan(1000);
    return lines.stream()
        .map(line -> line.split(" |\\$\\$Lambda", 2)[0])
        .filter(
            name -> name.matches("(javax\\.net\\.ssl|sun\\.security\\.ssl|.*\\.wire\\.tls)\\..*"))
        .toList();
  }

  @Test
  void secondarySortShouldEqualStock() throws Exception {
    Path input = temporary.resolve("pairs");
    SplittableRandom random = new SplittableRandom(2);
    StringBuilder pairs = new StringBuilder();
    for (int i = 0; i < 50_000; i++) {
      pairs.append(random.nextInt(-99, 99)).append(' ').append(random.nextInt(1000)).append('\n');
    }
    Files.writeString(input, pairs);
    cluster.compare(
        cluster.examples(),
        "secondarysort",
        List.of("secondarysort", input.toString()),
        List.of("-Dmapreduce.job.reduces=2", "-Dsailfish.encrypt.at.rest=true"));
  }

  @Test
  void unreachableMetaserverShouldFailWithASentence() throws Exception {
    Result result = wordCountThatFails("-Dsailfish.metaserver.address=localhost:1");
    assertThat(result.output()).contains("sailfish.metaserver.address", "localhost");
  }

  @Test
  void unknownCodecShouldFailWithASentence() throws Exception {
    Result result =
        wordCountThatFails(
            "-Dmapreduce.map.output.compress=true",
            "-Dmapreduce.map.output.compress.codec=org.example.NoSuchCodec");
    assertThat(result.output())
        .contains("mapreduce.map.output.compress.codec", "NoSuchCodec", "Lz4Codec");
  }

  @Test
  void chunkSizeOutOfRangeShouldFailWithASentence() throws Exception {
    Result result = wordCountThatFails("-Dsailfish.chunk.size=5000m");
    assertThat(result.output()).contains("sailfish.chunk.size=5000m", "0 or 1m..1g");
  }

  private Result wordCountThatFails(String... settings) throws Exception {
    List<String> command = new ArrayList<>(List.of("jar", "-Dmapreduce.map.maxattempts=2"));
    command.addAll(List.of(settings));
    command.add(cluster.examples().toString());
    command.addAll(
        List.of(
            "wordcount",
            cluster.text().resolve("file0").toString(),
            temporary.resolve("fails-" + Math.abs(List.of(settings).hashCode())).toString()));
    Result result = cluster.run(command);
    assertThat(result.exitCode()).as(result.output()).isNotZero();
    // Two attempts that wait, each for sailfish.client.deadline, take longer than four minutes.
    assertThat(result.took()).isLessThan(Duration.ofMinutes(3));
    return result;
  }
}
