package dev.sailfish.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.workbuilder.collect.PlanReader;
import dev.sailfish.workbuilder.plan.PlanCodec;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReducePolicy;
import dev.sailfish.workbuilder.plan.WorkTarget;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IfileCommandTest {
  private static final String HOST = "127.0.0.1";
  private static final String JOB = "job_1_0001";
  private static final int PARTITIONS = 2;
  private static final int RECORDS = 50;
  private static final long HOUR_MS = 3_600_000;
  private static final String SORTED = ChunkserverMetric.CHUNKS_SORTED.fullName();
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path secret;
  private Metaserver metaserver;
  private Chunkserver chunkserver;

  @BeforeEach
  void startServers() throws IOException {
    System.setProperty(Distribution.ROOT_PROPERTY, directory.toString());
    secret = directory.resolve("secret");
    ClusterSecret.create(secret);
    metaserver =
        Metaserver.start(
            MetaserverConfig.of(
                Map.of(
                    "sailfish.metaserver.host",
                    HOST,
                    "sailfish.metaserver.port",
                    "0",
                    "sailfish.metaserver.web.port",
                    "0",
                    "sailfish.metaserver.journal.dir",
                    "none",
                    "sailfish.metaserver.cluster.secret.file",
                    secret.toString())));
    chunkserver =
        Chunkserver.start(
            ChunkserverConfig.of(
                Map.of(
                    "sailfish.chunkserver.host",
                    HOST,
                    "sailfish.chunkserver.port",
                    "0",
                    "sailfish.chunkserver.web.port",
                    "0",
                    "sailfish.chunkserver.metaserver.address",
                    address(),
                    "sailfish.chunkserver.data.dirs",
                    directory.resolve("disk") + ":capacity=1g",
                    "sailfish.chunkserver.memory.size",
                    "64m",
                    "sailfish.chunkserver.memory.dir",
                    directory.resolve("memory").toString(),
                    "sailfish.chunkserver.cluster.secret.file",
                    secret.toString())));
    Credentials cluster = Credentials.ofCluster(ClusterSecret.read("secret", secret));
    InetSocketAddress address = new InetSocketAddress(HOST, metaserver.port());
    try (MetaserverClient client = MetaserverClient.connect(address, "t", cluster, DEADLINE)) {
      await()
          .atMost(DEADLINE)
          .until(
              () ->
                  client.status().getCountersOrDefault(MetaserverMetric.REGISTRATIONS.fullName(), 0)
                      >= 1);
    }
  }

  @AfterEach
  void stopServers() throws IOException {
    chunkserver.close();
    metaserver.close();
    System.clearProperty(Distribution.ROOT_PROPERTY);
  }

  private String address() {
    return HOST + ":" + metaserver.port();
  }

  /** Two maps, each with keys of its own and some that both have, downwards. */
  private void write(KeyOrder order) throws IOException {
    write(order, 3);
  }

  private void write(KeyOrder order, int valueLength) throws IOException {
    for (int map = 0; map < 2; map++) {
      append(order, valueLength, map, 0);
    }
  }

  private void append(KeyOrder order, int valueLength, int map, long keepMs) throws IOException {
    try (Iappender appender = open(order, map, 0, keepMs)) {
      fill(appender, map, valueLength);
      appender.commit();
    }
  }

  private static void fill(Iappender appender, int map, int valueLength) throws IOException {
    for (int i = RECORDS - 1; i >= 0; i--) {
      byte[] key = "key %03d".formatted(2 * i + map).getBytes(StandardCharsets.US_ASCII);
      byte[] value = Arrays.copyOf(new byte[] {'m', (byte) ('0' + map)}, valueLength);
      appender.append(1, key, 0, key.length, value, 0, value.length);
    }
  }

  private Iappender open(KeyOrder order, int map, int attempt, long keepMs) throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            List.of(new InetSocketAddress(HOST, metaserver.port())),
            HOST,
            "ann",
            0,
            0,
            0,
            DEADLINE,
            0,
            Credentials.ofJob(JOB, new byte[] {1})
                .admittedBy(ClusterSecret.read("secret", secret), "ann"));
    IfileSpec spec = new IfileSpec(JOB, PARTITIONS, order, CodecId.LZ4, false, 0, keepMs);
    return Iappender.open(config, spec, map, attempt);
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String[] all = Arrays.copyOf(arguments, arguments.length + 4);
    all[arguments.length] = "--metaserver";
    all[arguments.length + 1] = address();
    all[arguments.length + 2] = "--secret-file";
    all[arguments.length + 3] = secret.toString();
    return Sailfish.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all);
  }

  private List<String> keys() {
    return out.toString().lines().map(line -> line.substring(0, line.indexOf('\t'))).toList();
  }

  @Test
  void lsListsJobsAndChunks() throws IOException {
    assertThat(run("ifile", "ls")).isZero();
    assertThat(out.toString()).contains("knows no job");
    write(KeyOrder.normalized(KeyEncoding.RAW));
    assertThat(run("ifile", "ls")).isZero();
    assertThat(out.toString()).containsPattern(JOB + " +ann +2 +NORMALIZED +lz4 +\\d+ +1 +2 ");
    for (String[] arguments : new String[][] {{"ifile", "ls", JOB}, {"ifile", "ls", JOB, "1"}}) {
      assertThat(run(arguments)).isZero();
      assertThat(out.toString())
          .hasLineCount(2)
          .contains(HOST + ":" + chunkserver.port())
          .containsPattern("[0-9a-f]+ +1 +\\S+ +OPEN ");
    }
    assertThat(run("ifile", "ls", JOB, "0")).isZero();
    assertThat(out.toString()).contains("No chunk holds anything of partition 0 of " + JOB);
  }

  @Test
  void statShowsTotalsAndTheInsideOfSortedChunks() throws IOException {
    write(KeyOrder.normalized(KeyEncoding.RAW));
    assertThat(run("ifile", "stat", JOB, "1")).isZero();
    assertThat(out.toString()).contains("manifests  2").doesNotContain("sorted chunk");
    assertThat(run("ifile", "scan", JOB, "1", "--limit", "1")).isZero();
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () -> {
              assertThat(run("ifile", "stat", JOB, "1")).isZero();
              assertThat(out.toString())
                  .containsPattern("sorted chunk +runs +sources +index entries")
                  .containsPattern("(?m)^[0-9a-f]+ +1 +2 +1 +" + 2 * RECORDS + " +\\d+$");
            });
    assertThat(run("ifile", "stat", JOB, "0")).isZero();
    assertThat(out.toString()).contains("no map task has written to this partition");
  }

  @Test
  void scanPrintsARangeInKeyOrder() throws IOException {
    write(KeyOrder.normalized(KeyEncoding.RAW));
    assertThat(run("ifile", "scan", JOB, "1")).isZero();
    assertThat(keys())
        .isEqualTo(IntStream.range(0, 2 * RECORDS).mapToObj("key %03d"::formatted).toList());
    assertThat(run("ifile", "scan", JOB, "1", "--from", "key 010", "--to", "key 013")).isZero();
    assertThat(out.toString()).isEqualTo("key 010\tm0\\x00\nkey 011\tm1\\x00\nkey 012\tm0\\x00\n");
    assertThat(run("ifile", "scan", JOB, "1", "--from", "0x6b657920303939", "--hex")).isZero();
    assertThat(out.toString()).isEqualTo("6b657920303939\t6d3100\n");
    assertThat(run("ifile", "scan", JOB, "1", "--limit", "3")).isZero();
    assertThat(keys()).containsExactly("key 000", "key 001", "key 002");
    assertThat(run("ifile", "scan", JOB, "0")).isZero();
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void keysCanBeHexadecimalAlone() throws IOException {
    write(KeyOrder.normalized(KeyEncoding.RAW));
    assertThat(run("ifile", "scan", JOB, "1", "--keys-as", "hex", "--limit", "1")).isZero();
    assertThat(out.toString()).isEqualTo("6b657920303030\tm0\\x00\n");
    assertThat(run("ifile", "scan", JOB, "1", "--keys-as", "octal")).isEqualTo(2);
    assertThat(err.toString()).contains("--keys-as", "text", "hex");
  }

  /** An attempt that another one has replaced does not count, unless it is asked for. */
  @Test
  void scanPrintsWhatWinnersWrote() throws IOException {
    KeyOrder order = KeyOrder.normalized(KeyEncoding.RAW);
    try (Iappender first = open(order, 0, 0, 0);
        Iappender second = open(order, 0, 1, 0)) {
      fill(first, 0, 4);
      fill(second, 0, 3);
      first.commit();
      second.commit();
    }
    assertThat(run("ifile", "scan", JOB, "1")).isZero();
    assertThat(out.toString()).hasLineCount(RECORDS).doesNotContain("m0\\x00\\x00");
    assertThat(run("ifile", "scan", JOB, "1", "--all-attempts")).isZero();
    assertThat(out.toString()).hasLineCount(2 * RECORDS);
  }

  @Test
  void whatIsKeptOfAnEndedJobCanBeScannedUntilItIsDropped() throws IOException {
    KeyOrder order = KeyOrder.normalized(KeyEncoding.RAW);
    append(order, 3, 0, HOUR_MS);
    append(order, 3, 1, HOUR_MS);
    assertThat(run("ifile", "drop", JOB)).isEqualTo(1);
    assertThat(err.toString()).contains("job lives");
    end();
    assertThat(run("ifile", "ls")).isZero();
    assertThat(out.toString()).containsPattern(JOB + ".* ended, kept for 3[56]\\d\\d s more");
    assertThat(run("ifile", "scan", JOB, "1", "--from", "key 010", "--limit", "2")).isZero();
    assertThat(keys()).containsExactly("key 010", "key 011");
    assertThat(run("ifile", "drop", JOB)).isZero();
    assertThat(out.toString()).contains("Nothing is kept of " + JOB);
    assertThat(run("ifile", "scan", JOB, "1")).isEqualTo(1);
    assertThat(run("ifile", "drop", JOB)).isEqualTo(1);
    assertThat(err.toString()).contains("knows no such job");
    await()
        .atMost(DEADLINE)
        .untilAsserted(() -> assertThat(chunkserver.metrics()).containsEntry(SORTED, 0L));
  }

  private void end() throws IOException {
    Credentials cluster = Credentials.ofCluster(ClusterSecret.read("secret", secret));
    InetSocketAddress address = new InetSocketAddress(HOST, metaserver.port());
    try (MetaserverClient client = MetaserverClient.connect(address, "t", cluster, DEADLINE)) {
      client.deleteJob(JOB);
    }
  }

  @Test
  void scanOfAJobWithItsOwnComparatorGoesBlockByBlock() throws IOException {
    // Descending.
    write(
        KeyOrder.of(
            (left, at, length, right, rightAt, rightLength) ->
                Arrays.compareUnsigned(
                    right, rightAt, rightAt + rightLength, left, at, at + length)));
    assertThat(run("ifile", "scan", JOB, "1")).isZero();
    assertThat(keys())
        .hasSize(2 * RECORDS)
        .startsWith("key 098", "key 096")
        .endsWith("key 003", "key 001");
    assertThat(run("ifile", "scan", JOB, "1", "--from", "key 010")).isEqualTo(1);
    assertThat(err.toString()).contains("comparator of its own").contains("without --from");
  }

  @Test
  void planShowsWhichReduceWorkThereWouldBe() throws IOException {
    write(KeyOrder.normalized(KeyEncoding.RAW), 4096);
    assertThat(run("plan", "show", JOB)).isZero();
    assertThat(out.toString())
        .contains(JOB + ": 2 maps have committed; groups: equal keys")
        .containsPattern("2 partitions, 40\\d KiB -> 1 reduce task of 40\\d KiB")
        .contains("target 1.0 GiB as given")
        .containsPattern("(?m)^ +0  0-1 +100 +40\\d KiB +40\\d KiB  all$");
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () -> {
              assertThat(run("plan", "show", JOB, "--target", "100k")).isZero();
              assertThat(out.toString())
                  .containsPattern("partition 1 stays whole: the index of chunk [0-9a-f]+ is")
                  .contains("it is not SORTED on chunkserver " + HOST + ":" + chunkserver.port());
            });
    assertThat(run("ifile", "scan", JOB, "1", "--limit", "1")).isZero();
    assertThat(run("plan", "show", JOB, "--target", "100k")).isZero();
    assertThat(out.toString())
        .contains("1 partition split, 0 coalesced; 0 kept whole")
        .containsPattern("(?m)^ +1  1\\.0 .* to before \"key \\d+\"$")
        .containsPattern("(?m)^ +\\d  1\\.\\d .* from \"key \\d+\" to the end$");
    assertThat(run("plan", "show", JOB, "--target", "100k", "--no-split", "--short")).isZero();
    assertThat(out.toString()).hasLineCount(2).contains("-> 2 reduce tasks");
    assertThat(run("plan", "show", JOB, "--target", "100k", "--most", "2", "--short")).isZero();
    assertThat(out.toString()).contains("for at most 2 reduce tasks");
    assertThat(run("plan", "show", JOB, "--no-coalesce", "--short")).isZero();
    assertThat(out.toString()).contains("-> 2 reduce tasks of").contains("0 coalesced");
  }

  /** The one that the job has is in a file here; a Hadoop client finds it elsewhere. */
  @Test
  void planIsMadeAgainAndCompared() throws IOException {
    write(KeyOrder.normalized(KeyEncoding.RAW), 4096);
    Path file = directory.resolve("stored");
    Files.write(file, PlanCodec.encode(ReducePlan.fixed(PARTITIONS, "because of a test")));
    String stored = file.toString();
    assertThat(run("plan", "show", JOB, "--plan", stored)).isZero();
    assertThat(out.toString())
        .startsWith("2 partitions, 0 B -> 2 reduce tasks")
        .contains("target because of a test");
    assertThat(run("plan", "replay", JOB, "--plan", stored)).isZero();
    assertThat(out.toString())
        .contains("used: 2 partitions, 0 B -> 2 reduce tasks")
        .containsPattern("now:  2 partitions, 40\\d KiB -> 2 reduce tasks")
        .containsPattern("partition 1: whole, 0 B -> whole, 40\\d KiB");
    assertThat(run("plan", "replay", JOB, "--plan", stored, "--target", "1g")).isZero();
    assertThat(out.toString())
        .contains("target: because of a test -> 1.0 GiB as given")
        .contains("reduce tasks: 2 -> 1")
        .containsPattern("-> together as 0-1, 40\\d KiB");

    Files.write(file, PlanCodec.encode(madeNow()));
    assertThat(run("plan", "replay", JOB, "--plan", stored)).isZero();
    assertThat(out.toString()).contains("There is no difference.");
  }

  /** The plan that the command makes without options. */
  private ReducePlan madeNow() throws IOException {
    Credentials cluster = Credentials.ofCluster(ClusterSecret.read("secret", secret));
    InetSocketAddress address = new InetSocketAddress(HOST, metaserver.port());
    ReducePolicy policy = ReducePolicy.auto(WorkTarget.given(1L << 30), Integer.MAX_VALUE);
    GroupOrder order = new GroupOrder(KeyOrder.normalized(KeyEncoding.RAW), null);
    try (MetaserverClient client = MetaserverClient.connect(address, "t", cluster, DEADLINE)) {
      return new PlanReader(client, server -> null, JOB, order)
          .read(new int[0], false, bytes -> policy)
          .plan();
    }
  }

  @Test
  void planRefusesAFileThatIsNone() throws IOException {
    Path file = directory.resolve("stored");
    assertThat(run("plan", "show", JOB, "--plan", file.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("Cannot read " + file + ": there is no such file.");
    Files.write(file, new byte[9]);
    assertThat(run("plan", "replay", JOB, "--plan", file.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("Cannot read " + file + ": plan is damaged");
    assertThat(run("plan", "show", JOB, "--stored")).isEqualTo(1);
    assertThat(err.toString()).contains("No local cluster is running");
  }

  @Test
  void planRefusesWhatItCannotShow() throws IOException {
    assertThat(run("plan", "show", "job_9_0009")).isEqualTo(1);
    assertThat(err.toString()).contains("knows no such job").contains("job_9_0009");
    assertThat(run("plan", "show", JOB, "--target", "1 GB")).isEqualTo(2);
    assertThat(err.toString()).contains("--target is 1 GB");
    assertThat(run("plan", "show", JOB, "--most", "0")).isEqualTo(2);
    write(KeyOrder.of((left, at, length, right, rightAt, rightLength) -> length - rightLength));
    assertThat(run("plan", "show", JOB, "--target", "1")).isZero();
    assertThat(out.toString())
        .contains("partition 1 stays whole: only the job's comparator knows the order");
  }

  @Test
  void theFilesOfARunningChunkserverAreGood() throws IOException {
    write(KeyOrder.normalized(KeyEncoding.RAW));
    assertThat(verifySegments("")).contains("OPEN or STABLE").contains("records=" + 2 * RECORDS);
    assertThat(run("ifile", "scan", JOB, "1", "--limit", "1")).isZero();
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () -> assertThat(verifySegments("+seal-")).contains("SORTED").contains("runs=1"));
  }

  /** Verdicts over the chunkserver's files of the job with this in their names. */
  private String verifySegments(String part) throws IOException {
    out.getBuffer().setLength(0);
    List<Path> files;
    try (Stream<Path> all = Files.walk(directory.resolve("memory"))) {
      files =
          all.filter(Files::isRegularFile)
              .filter(file -> file.getFileName().toString().startsWith(JOB))
              .filter(file -> file.getFileName().toString().contains(part))
              .toList();
    }
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      int code =
          Sailfish.commandLine()
              .setOut(new PrintWriter(out, true))
              .execute("chunk", "verify", file.toString());
      assertThat(code).as("%s", out).isZero();
    }
    return out.toString();
  }

  @Test
  void errorsAreSentencesThatSayWhatToDo() throws IOException {
    assertThat(run("ifile", "ls", "job_9_0009")).isEqualTo(1);
    assertThat(err.toString())
        .contains("knows no such job")
        .contains("job_9_0009")
        .contains("ifile ls")
        .doesNotContain("\tat ");
    write(KeyOrder.normalized(KeyEncoding.RAW));
    assertThat(run("ifile", "stat", JOB, "2")).isEqualTo(1);
    assertThat(err.toString()).contains("no partition 2: choose one from 0 to 1");
    assertThat(run("ifile", "stat", JOB, "-1")).isEqualTo(2);
    assertThat(run("ifile", "scan", JOB, "1", "--from", "0x1")).isEqualTo(1);
    assertThat(err.toString()).contains("two digits for each byte");
    assertThat(run("ifile")).isEqualTo(2);
  }

  @Test
  void anUnreachableMetaserverIsNamed() {
    String nobody = HOST + ":1";
    int code =
        Sailfish.commandLine()
            .setErr(new PrintWriter(err, true))
            .execute("ifile", "ls", "--metaserver", nobody);
    assertThat(code).isEqualTo(1);
    assertThat(err.toString()).contains(nobody).contains("--metaserver HOST:PORT");
    code =
        Sailfish.commandLine()
            .setErr(new PrintWriter(err, true))
            .execute("ifile", "ls", "--metaserver", "nobody");
    assertThat(code).isEqualTo(1);
    assertThat(err.toString()).contains("nobody, which is not HOST:PORT");
  }

  @Test
  void withoutTheSecretNothingIsShown() throws IOException {
    write(KeyOrder.normalized(KeyEncoding.RAW));
    Path another = directory.resolve("another");
    ClusterSecret.create(another);
    Path missing = directory.resolve("missing");
    String[][] tries = {{}, {"--secret-file", another.toString()}};
    for (String[] last : tries) {
      assertThat(runAs(last)).isEqualTo(1);
      assertThat(err.toString()).contains("UNAUTHENTICATED", "--secret-file FILE");
    }
    assertThat(runAs("--secret-file", missing.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("--secret-file=" + missing, "is no file");
    assertThat(out.toString()).isEmpty();
  }

  private int runAs(String... last) {
    List<String> arguments = new ArrayList<>(List.of("ifile", "ls", JOB, "--metaserver"));
    arguments.add(address());
    arguments.addAll(List.of(last));
    err.getBuffer().setLength(0);
    return Sailfish.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(new String[0]));
  }
}
