package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.jobs.hostile.Harm;
import dev.sailfish.system.OutputFiles;
import dev.sailfish.system.SailfishCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs on real YARN whose tasks share JVMs. */
class WarmTasksTest extends YarnTest {
  private static final Pattern MORE_TASKS =
      Pattern.compile("syslog\\.(attempt_\\d+_\\d+_[mr]_\\d+_\\d+)");

  private static Path output(String name) {
    return temporary.resolve(name);
  }

  private static List<String> warm(String mode, String... more) {
    List<String> settings = new ArrayList<>(List.of("--warm-tasks", mode));
    settings.addAll(List.of(more));
    return settings;
  }

  /** Attempts that a JVM has run after another one, by container: each has a log of its own. */
  private static Map<Path, Set<String>> warmAttempts(Instant since) throws IOException {
    Map<Path, Set<String>> attempts = new TreeMap<>();
    try (Stream<Path> files = Files.walk(temporary.resolve("cluster/logs/containers"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Matcher name = MORE_TASKS.matcher(file.getFileName().toString());
        if (name.matches() && !Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
          attempts
              .computeIfAbsent(file.getParent(), directory -> new TreeSet<>())
              .add(name.group(1));
        }
      }
    }
    return attempts;
  }

  @ParameterizedTest
  @ValueSource(strings = {"isolated", "shared"})
  void outputIsThatOfStock(String mode) throws Exception {
    Instant start = Instant.now();
    List<String> before = List.of("wordcount", cluster.text().toString());
    cluster.compare(
        cluster.examples(), "count-" + mode, before, warm(mode, "-Dmapreduce.job.reduces=4"));
    assertThat(cluster.containerLogs(start))
        .contains("Warm tasks: sailfish.am.warm.tasks=" + mode)
        .doesNotContain("Container complete event for unknown container");
    assertThat(warmAttempts(start)).isNotEmpty();
  }

  @Test
  @Tag("long")
  void mapsAndReducesWithDifferentOptionsHaveTheirOwnJvms() throws Exception {
    Instant start = Instant.now();
    List<String> before = List.of("wordcount", cluster.text().toString());
    List<String> settings =
        warm(
            "isolated",
            "-Dmapreduce.job.reduces=4",
            "-Dmapreduce.job.maps=4",
            "-Dmapreduce.reduce.java.opts=-Xmx250m");
    cluster.compare(cluster.examples(), "apart", before, settings);
    assertThat(cluster.containerLogs(start)).contains("maps and reduces have different options");
    assertThat(warmAttempts(start).values())
        .isNotEmpty()
        .allSatisfy(
            attempts ->
                assertThat(attempts.stream().map(attempt -> attempt.contains("_m_")).distinct())
                    .as("%s", attempts)
                    .hasSize(1));
  }

  /**
   * What one task does to its JVM, the next one does not see: each finds what it finds in stock.
   */
  @Test
  @Tag("long")
  void hostileTasksAreAloneInTheirJvms() throws Exception {
    long seed = Long.getLong("sailfish.seed", System.nanoTime());
    System.out.println("hostileTasksAreAloneInTheirJvms seed=" + seed);
    List<String> harms =
        Stream.of(Harm.values())
            .flatMap(harm -> Stream.of(harm.name(), harm.name(), "NONE"))
            .collect(Collectors.toCollection(ArrayList::new));
    Collections.shuffle(harms, new Random(seed));
    Path input = Files.write(output("harms"), harms);
    Path jar = SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs");
    List<List<String>> outputs = new ArrayList<>();
    Instant start = Instant.now();
    for (String mode : List.of("off", "isolated")) {
      Path shared = Files.createDirectory(output("signs-" + mode));
      Path out = output("hostile-" + mode);
      List<String> job =
          List.of("dev.sailfish.jobs.hostile.HostileJob", input.toString(), shared.toString());
      start = Instant.now();
      cluster.run("sailfish", jar, job, out, warm(mode, "-Dmapreduce.job.reduces=3"));
      outputs.add(lines(out));
      try (Stream<Path> signs = Files.list(shared)) {
        assertThat(signs.map(sign -> sign.getFileName().toString()))
            .as("hooks that ran and processes that ended")
            .hasSize(4)
            .filteredOn(name -> name.startsWith("hook-"))
            .hasSize(2);
      }
    }
    assertThat(outputs.get(1)).isEqualTo(outputs.get(0));
    assertThat(warmAttempts(start).values().stream().mapToInt(Set::size).sum())
        .isGreaterThan(harms.size() / 3);
  }

  private static List<String> lines(Path directory) throws IOException {
    return OutputFiles.read(directory).values().stream().flatMap(String::lines).sorted().toList();
  }

  /** What a task prints is in a file of its attempt. */
  @Test
  @Tag("long")
  void eachAttemptHasItsOwnFiles() throws Exception {
    Path input = Files.write(output("none"), Collections.nCopies(6, "NONE"));
    Path jar = SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs");
    Instant start = Instant.now();
    List<String> job =
        List.of("dev.sailfish.jobs.hostile.HostileJob", input.toString(), temporary.toString());
    cluster.run("sailfish", jar, job, output("printed"), warm("isolated"));
    Set<String> attempts = new TreeSet<>();
    warmAttempts(start).values().forEach(attempts::addAll);
    assertThat(attempts).anyMatch(attempt -> attempt.contains("_m_"));
    try (Stream<Path> files = Files.walk(temporary.resolve("cluster/logs/containers"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = file.getFileName().toString();
        String attempt = name.replaceFirst("^stdout\\.", "");
        if (attempts.contains(attempt) && attempt.contains("_m_")) {
          assertThat(Files.readString(file)).isEqualTo("printed by " + attempt + "\n");
        }
      }
    }
  }

  @Test
  @Tag("long")
  void manyRandomJobsGiveTheRecordsOfStock() throws Exception {
    Instant start = Instant.now();
    new YarnRandomJobs(cluster, temporary).shouldEqualStock(12, true, WarmTasksTest::anyMode);
    new YarnRandomJobs(cluster, temporary).shouldEqualStock(12, false, WarmTasksTest::anyMode);
    assertThat(cluster.containerLogs(start))
        .contains("Warm tasks: sailfish.am.warm.tasks=isolated")
        .contains("Warm tasks: sailfish.am.warm.tasks=shared");
    assertThat(warmAttempts(start)).isNotEmpty();
  }

  private static List<String> anyMode(SplittableRandom random) {
    return warm(random.nextBoolean() ? "isolated" : "shared");
  }
}
