package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.streaming.HadoopStreaming;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Unchanged jobs on real YARN leave records of how their files were made. */
@Seeded
@Tag("long")
@Timeout(900)
class LineageRecordTest {
  private static final Pattern PART = Pattern.compile("(?:part|words|keys)-(?:([mr])-)?(\\d{5})");
  private static final Pattern JOB = Pattern.compile("job_\\d+_\\d+");
  private static final Pattern COST =
      Pattern.compile("Record \\d+ says how .* (\\d+) ms, (\\d+) ms of CPU");
  private static final String IN = "lineage:///data/text";
  private static final List<String> TWO = YarnCluster.TWO_REDUCES;

  /** What recording may take of a job, in milliseconds of a processor. */
  private static final long MOST_CPU_MS = 300;

  /** Of a program, in bytes: about what Hive's jar has. */
  private static final int LARGE_PROGRAM = 80_000_000;

  private static final int JOBS = Integer.getInteger("sailfish.record.jobs", 3);

  @TempDir private Path directory;
  private YarnCluster cluster;
  private StoreClient client;

  @BeforeEach
  void start() throws Exception {
    cluster =
        YarnCluster.start(
            directory, "--lineage-workers=1", "-Dsailfish.lineage.worker.idle.release=2s");
    client = cluster.store();
  }

  /** Not in the test itself: what it says of a cluster that does not end would hide a failure. */
  @AfterEach
  void stop() throws Exception {
    if (client != null) {
      client.close();
    }
    if (cluster != null) {
      cluster.stop();
    }
  }

  @Test
  void jobsOfBothApisWithAndWithoutReducersAreRecorded() throws Exception {
    cluster.succeed("fs", "-mkdir", "-p", "lineage:///data");
    cluster.succeed("fs", "-put", cluster.text().toString(), "lineage:///data/");
    for (String shuffle : List.of("sailfish", "stock")) {
      DependencyRecord words =
          run(shuffle, cluster.examples(), "/" + shuffle, TWO, "wordcount", IN);
      assertThat(parts(words, "/" + shuffle))
          .containsOnlyKeys("r0 part-r-00000", "r1 part-r-00001");
      assertInputs(words, "/data/text");
      assertThat(words.getProgramsList())
          .extracting(ProgramFile::getName)
          .containsExactly("job.jar", "job.xml", "job.split", "job.splitmetainfo");
    }
    Path jobs = SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs");
    String library = "dev.sailfish.jobs.library.LibraryMain";
    DependencyRecord several =
        run(
            "sailfish",
            jobs,
            "/several",
            TWO,
            library,
            "several-paths",
            IN + "/file0",
            IN + "/file1");
    assertThat(parts(several, "/several"))
        .containsKeys("r0 words-r-00000", "r1 words-r-00001", "r0 part-r-00000");
    assertInputs(several, "/data/text");

    DependencyRecord failing = run("sailfish", jobs, "/copy", List.of(), library, "failing", IN);
    assertThat(parts(failing, "/copy")).containsOnlyKeys("m0 part-m-00000", "m1 part-m-00001");
    assertThat(failing.getOutputsList())
        .filteredOn(output -> output.getMap() && output.getIndex() == 0)
        .extracting(DependencyOutput::getState)
        .containsExactlyInAnyOrder(OutputState.OUTPUT_DELETED, OutputState.OUTPUT_STORED);
    assertThat(cost()).allMatch(ms -> ms <= MOST_CPU_MS);
    cluster.succeed("fs", "-rm", "-r", "-skipTrash", "lineage:///*");
  }

  /** A job's program is compared with the stored one of a job before, and not hashed. */
  @Test
  void aLargeProgramIsHashedOnce(Seed seed) throws Exception {
    cluster.succeed("fs", "-mkdir", "-p", "lineage:///data");
    cluster.succeed("fs", "-put", cluster.text().toString(), "lineage:///data/");
    byte[] bytes = new byte[LARGE_PROGRAM];
    seed.random().nextBytes(bytes);
    Path large = Files.write(directory.resolve("large.bin"), bytes);
    List<ProgramFile> programs = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      DependencyRecord words =
          run(
              "sailfish",
              cluster.examples(),
              "/words" + i,
              TWO,
              "wordcount",
              "-files",
              large.toString(),
              IN);
      words.getProgramsList().stream()
          .filter(program -> program.getName().endsWith("large.bin"))
          .forEach(programs::add);
    }
    assertThat(programs).hasSize(JOBS);
    assertThat(programs.stream().map(ProgramFile::getSha256))
        .containsOnly(ByteString.copyFrom(MessageDigest.getInstance("SHA-256").digest(bytes)));
    List<Long> cost = cost();
    assertThat(cost).hasSize(JOBS);
    Collections.sort(cost);
    assertThat(cost.subList(0, JOBS - 1)).allMatch(ms -> ms <= MOST_CPU_MS);
    cluster.succeed("fs", "-rm", "-r", "-skipTrash", "lineage:///*");
  }

  @Test
  void theOlderApiIsRecordedToo() throws Exception {
    cluster.succeed("fs", "-mkdir", "-p", "lineage:///data");
    cluster.succeed("fs", "-put", cluster.text().toString(), "lineage:///data/");
    Path streaming =
        Path.of(HadoopStreaming.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    String printed =
        cluster
            .succeed(
                "jar",
                streaming.toString(),
                "-input",
                IN,
                "-output",
                "lineage:///lines",
                "-mapper",
                "cat",
                "-reducer",
                "cat")
            .output();
    DependencyRecord lines = record(printed);
    assertThat(parts(lines, "/lines")).containsOnlyKeys("r0 part-00000");
    assertInputs(lines, "/data/text");
    cluster.succeed("fs", "-rm", "-r", "-skipTrash", "lineage:///*");
  }

  private DependencyRecord run(
      String shuffle, Path jar, String out, List<String> settings, String... before)
      throws Exception {
    List<String> command = new ArrayList<>(List.of("jar", "--shuffle", shuffle));
    command.addAll(settings);
    command.add(jar.toString());
    command.addAll(List.of(before));
    command.add("lineage://" + out);
    return record(cluster.succeed(command.toArray(new String[0])).output());
  }

  private DependencyRecord record(String printed) throws IOException {
    Matcher job = JOB.matcher(printed);
    assertThat(job.find()).as("the job's id in: %s", printed).isTrue();
    return client.lineage().find(job.group()).orElseThrow();
  }

  /** The files that can be seen, each with the task that the record says; all are outputs. */
  private Map<String, Long> parts(DependencyRecord record, String out) throws IOException {
    Map<Long, DependencyOutput> outputs = new TreeMap<>();
    record.getOutputsList().forEach(output -> outputs.put(output.getFid(), output));
    Map<String, Long> parts = new TreeMap<>();
    client
        .namespace()
        .list(
            out,
            entry -> {
              Matcher name = PART.matcher(entry.getName());
              if (name.matches()) {
                DependencyOutput output = outputs.get(entry.getFid());
                assertThat(output).as(entry.getName()).isNotNull();
                assertThat(output.getIndex()).isEqualTo(Integer.parseInt(name.group(2)));
                assertThat(output.getLength()).isEqualTo(entry.getLength());
                String task = (output.getMap() ? "m" : "r") + output.getIndex();
                parts.put(task + " " + entry.getName(), entry.getFid());
              }
            });
    return parts;
  }

  private void assertInputs(DependencyRecord record, String directory) throws IOException {
    List<Long> fids = new ArrayList<>();
    client.namespace().list(directory, entry -> fids.add(entry.getFid()));
    assertThat(record.getInputsList())
        .extracting(DependencyInput::getFid)
        .containsExactlyInAnyOrderElementsOf(fids);
  }

  /** What recording has taken of each job, in milliseconds of a processor, in the tasks' logs. */
  private List<Long> cost() throws IOException {
    List<Long> cost = new ArrayList<>();
    Matcher line = COST.matcher(cluster.containerLogs());
    while (line.find()) {
      cost.add(Long.parseLong(line.group(2)));
    }
    System.out.println("LineageRecordTest: ms of CPU for each record: " + cost);
    assertThat(cost).isNotEmpty();
    return cost;
  }
}
