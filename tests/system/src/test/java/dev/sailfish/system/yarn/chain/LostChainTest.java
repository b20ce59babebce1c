package dev.sailfish.system.yarn.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import dev.sailfish.testkit.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of lost files of jobs on YARN, one case each, and of those who read them. */
@Tag("long")
@Timeout(900)
class LostChainTest {
  private static final Path WORK = Path.of("target/lost-chain").toAbsolutePath();
  private static final Path FAIL = WORK.resolve("fail");
  private static final String PART = "/part-r-00000";
  private static final String SEQUENCE_FILES =
      "org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat";

  private static ChainCluster cluster;
  private static List<Path> expected;

  @BeforeAll
  static void start() throws Exception {
    ScratchDirectory.delete(WORK);
    Path text = Files.createDirectories(WORK.resolve("below/text"));
    Files.writeString(text.resolve("file"), "word1 word2 word3 word1\n".repeat(1_000));
    cluster = ChainCluster.start(WORK, "-Dsailfish.workflow.attempts=2");
    String below = text.getParent().toUri().toString();
    cluster.sailfish().succeed(ChainCluster.DEADLINE, "store", "mount", "/below", below);
    expected = cluster.local(text, List.of("words", "sorted"));
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.stop();
    }
  }

  private static void run(String... outputs) throws Exception {
    run(List.of(), outputs);
  }

  private static void run(List<String> settings, String... outputs) throws Exception {
    chain(settings, "lineage:///below/text", outputs);
  }

  private static void chain(List<String> settings, String input, String... outputs)
      throws Exception {
    List<String> all = new ArrayList<>(settings);
    all.add("-Dsailfish.test.chain.fail.if=" + FAIL);
    all.add("-Dmapreduce.reduce.maxattempts=1");
    all.add("-Dsailfish.test.chain.pace.ms=3000");
    cluster.chain(
        "sailfish",
        all,
        input,
        List.of(outputs).stream().map(output -> "lineage://" + output).toList());
  }

  private static byte[] read(String path) throws IOException {
    try (FileInput in = cluster.client().open(path)) {
      return in.readAllBytes();
    }
  }

  private static byte[] expected(int job) throws IOException {
    return Files.readAllBytes(Path.of(expected.get(job) + PART));
  }

  private static long lose(String path) throws Exception {
    long fid = cluster.client().namespace().stat(path).getFid();
    cluster.emptyHolder(fid);
    await(path + " is lost").atMost(ChainCluster.DEADLINE).until(() -> isLost(fid));
    return fid;
  }

  private static boolean isLost(long fid) throws IOException {
    return cluster.lost().stream().anyMatch(file -> file.getOutput().getFid() == fid);
  }

  @Test
  void aProgramThatAlwaysFailsIsTriedAgainAndThenReadersAreTold() throws Exception {
    run("/failing");
    Files.createFile(FAIL);
    try {
      String path = "/failing" + PART;
      long fid = lose(path);
      assertThatThrownBy(() -> read(path))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("as it is meant to");
      assertThat(cluster.recomputes(cluster.client().lineage().of(fid).getId())).hasSize(2);
      Files.delete(FAIL);
      cluster.sailfish().succeed(ChainCluster.DEADLINE, "lineage", "recompute", path);
      assertThat(read(path)).isEqualTo(expected(0));
    } finally {
      Files.deleteIfExists(FAIL);
    }
  }

  @Test
  void aRecomputeThatLosesItsInputsGoesOnWhenTheyAreThereAgain() throws Exception {
    run("/inputs/words", "/inputs/sorted");
    lose("/inputs/sorted" + PART);
    await("a step runs").atMost(ChainCluster.DEADLINE).until(() -> cluster.isIn(Phase.RECOMPUTE));
    cluster.emptyHolder(cluster.client().namespace().stat("/inputs/words" + PART).getFid());
    assertThat(read("/inputs/sorted" + PART)).isEqualTo(expected(1));
    assertThat(read("/inputs/words" + PART)).isEqualTo(expected(0));
  }

  @Test
  void twoReadersOfALostFileHaveItMadeOnce() throws Exception {
    run("/readers");
    String path = "/readers" + PART;
    long fid = lose(path);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Future<byte[]>> readers =
          List.of(threads.submit(() -> read(path)), threads.submit(() -> read(path)));
      for (Future<byte[]> reader : readers) {
        assertThat(reader.get(8, TimeUnit.MINUTES)).isEqualTo(expected(0));
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(cluster.recomputes(cluster.client().lineage().of(fid).getId()))
        .hasSize(1)
        .allMatch(one -> one.path("user").asText().equals(System.getProperty("user.name")));
  }

  @Test
  void anInputThatWasDeletedAndThatNothingMakesIsKept() throws Exception {
    cluster.sailfish().succeed(ChainCluster.DEADLINE, "fs", "-mkdir", "lineage:///source");
    String text = WORK.resolve("below/text/file").toString();
    cluster.sailfish().succeed(ChainCluster.DEADLINE, "fs", "-put", text, "lineage:///source/file");
    NamespaceClient namespace = cluster.client().namespace();
    long source = namespace.stat("/source/file").getFid();
    chain(List.of(), "lineage:///source", "/unsourced");
    namespace.delete("/source", true);
    await("two workers have it")
        .atMost(ChainCluster.DEADLINE)
        .until(() -> namespace.locate(source, 0, 0).getWorkersCount() == 2);
    String path = "/unsourced" + PART;
    lose(path);
    assertThat(read(path)).isEqualTo(expected(0));
  }

  @Test
  void aSequenceFileHasTheSameMarksAgain() throws Exception {
    run(List.of("-Dmapreduce.job.outputformat.class=" + SEQUENCE_FILES), "/sequence");
    String path = "/sequence" + PART;
    byte[] before = read(path);
    assertThat(before).startsWith('S', 'E', 'Q');
    lose(path);
    assertThat(read(path)).isEqualTo(before);
  }

  @Test
  void aFileWhoseJarWasDeletedIsGivenUpAtOnce() throws Exception {
    run("/jarless");
    String path = "/jarless" + PART;
    DependencyRecord record =
        cluster.client().lineage().of(cluster.client().namespace().stat(path).getFid());
    ByteString jar =
        record.getProgramsList().stream()
            .filter(program -> program.getName().equals("job.jar"))
            .map(ProgramFile::getSha256)
            .findFirst()
            .orElseThrow();
    String directory = "/.lineage/programs/" + System.getProperty("user.name") + "/";
    Path kept = Files.createDirectories(WORK.resolve("kept")).resolve("job.jar");
    Files.write(kept, read(directory + HexFormat.of().formatHex(jar.toByteArray())));
    cluster
        .client()
        .namespace()
        .delete(directory + HexFormat.of().formatHex(jar.toByteArray()), false);
    try {
      lose(path);
      assertThatThrownBy(() -> read(path))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("job.jar");
    } finally {
      cluster.client().lineage().upload(kept);
    }
  }
}
