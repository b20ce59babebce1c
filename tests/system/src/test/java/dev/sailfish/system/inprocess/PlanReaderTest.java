package dev.sailfish.system.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.GroupOrder;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.imerger.KeyRange;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.WinnerManifest;
import dev.sailfish.system.SailfishDaemons;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.workbuilder.collect.JobData;
import dev.sailfish.workbuilder.collect.PlanReader;
import dev.sailfish.workbuilder.plan.HeavyKey;
import dev.sailfish.workbuilder.plan.PartitionData;
import dev.sailfish.workbuilder.plan.ReducePlan;
import dev.sailfish.workbuilder.plan.ReducePolicy;
import dev.sailfish.workbuilder.plan.ReduceWork;
import dev.sailfish.workbuilder.plan.Refusal;
import dev.sailfish.workbuilder.plan.TaskCost;
import dev.sailfish.workbuilder.plan.WorkTarget;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans of what iappenders wrote through real servers, and what is read by them. */
@Seeded
class PlanReaderTest {
  private static final String JOB = "job_1_0001";
  private static final int PARTITIONS = 12;
  private static final int LARGE = 3;
  private static final int HEAVY = 5;
  private static final int EMPTY = PARTITIONS - 1;
  private static final int RECORDS_PER_MAP = 4000;
  private static final int[] WINNERS = {0, 1, 1, 0, 2, 1, 3, 0, 4, 0};
  private static final long TARGET = 512 << 10;
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final byte[] SECRET =
      "the secret of the tasks of a job".getBytes(StandardCharsets.US_ASCII);
  private static final KeyOrder NORMALIZED = KeyOrder.normalized(KeyEncoding.RAW);
  private static final KeyOrder COMPARATOR =
      KeyOrder.of(
          (left, leftAt, leftLength, right, rightAt, rightLength) ->
              NORMALIZED.compare(right, rightAt, rightLength, left, leftAt, leftLength));
  private static final LongFunction<ReducePolicy> POLICY =
      bytes -> ReducePolicy.auto(WorkTarget.given(TARGET), 1000);

  /** A record that a winner wrote. */
  private record Item(byte[] key, String text) {}

  @TempDir private Path temporary;
  private SailfishDaemons daemons;
  private final List<List<Item>> expected =
      IntStream.range(0, PARTITIONS).<List<Item>>mapToObj(p -> new ArrayList<>()).toList();

  @BeforeEach
  void start() throws IOException {
    daemons =
        SailfishDaemons.start(temporary, 2, Map.of("sailfish.chunkserver.heartbeat", "100ms"));
  }

  @AfterEach
  void stop() throws IOException {
    daemons.close();
  }

  // ---- a job

  private Iappender open(IfileSpec spec, int map, int attempt) throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            List.of(daemons.address()),
            "127.0.0.1",
            "test",
            8 << 20,
            spec.order() == COMPARATOR ? 0 : 16 << 10, // large ones are runs of several blocks
            0,
            DEADLINE,
            1 << 20,
            daemons.task(spec.job(), SECRET));
    return Iappender.open(config, spec, map, attempt);
  }

  private static int partition(SplittableRandom random) {
    int dice = random.nextInt(100);
    return dice < 55 ? LARGE : dice < 75 ? HEAVY : random.nextInt(EMPTY);
  }

  private static byte[] key(SplittableRandom random, int partition) {
    return partition == HEAVY && random.nextInt(4) > 0
        ? "heavy".getBytes(StandardCharsets.US_ASCII)
        : ByteBuffer.allocate(4).putInt(random.nextInt(5000) * 0x9E377).array();
  }

  private void append(Iappender appender, SplittableRandom random, int map, int attempt)
      throws IOException {
    for (int i = 0; i < RECORDS_PER_MAP; i++) {
      int partition = partition(random);
      byte[] key = key(random, partition);
      String name = map + "." + attempt + "." + i + " ";
      byte[] value = (name + "x".repeat(random.nextInt(600))).getBytes(StandardCharsets.US_ASCII);
      appender.append(partition, key, 0, key.length, value, 0, value.length);
      if (WINNERS[2 * map + 1] == attempt) {
        expected
            .get(partition)
            .add(new Item(key, text(key, 0, key.length) + "=" + text(value, 0, value.length)));
      }
    }
  }

  /** Maps 0 and 1 have two attempts that commit, map 2 one that fails. */
  private void write(IfileSpec spec, SplittableRandom random) throws IOException {
    for (int map = 0; map < 2; map++) {
      try (Iappender first = open(spec, map, 0);
          Iappender second = open(spec, map, 1)) {
        append(first, random, map, 0);
        append(second, random, map, 1);
        first.commit();
        second.commit();
      }
    }
    try (Iappender failing = open(spec, 2, 0)) {
      append(failing, random, 2, 0);
    }
    for (int map = 2; map < WINNERS.length / 2; map++) {
      int attempt = WINNERS[2 * map + 1];
      try (Iappender appender = open(spec, map, attempt)) {
        append(appender, random, map, attempt);
        appender.commit();
      }
    }
    for (List<Item> items : expected) {
      items.sort(Comparator.comparing(Item::key, new GroupOrder(spec.order(), null)::compare));
    }
  }

  private static String text(byte[] bytes, int offset, int length) {
    return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
  }

  private static IfileSpec spec(KeyOrder order, boolean encrypted) {
    return new IfileSpec(JOB, PARTITIONS, order, CodecId.LZ4, encrypted, 0);
  }

  private ChunkserverClient connect(InetSocketAddress address) throws IOException {
    return ChunkserverClient.connect(address, "test", daemons.cluster(), DEADLINE);
  }

  /** Has all chunks sorted, and waits until the metaserver knows. */
  private List<ChunkDescription> sortAll() throws IOException {
    Set<Long> sorted = new HashSet<>();
    try (MetaserverClient client = daemons.client()) {
      for (ChunkDescription chunk : client.describeJob(JOB, -1).getChunksList()) {
        InetSocketAddress address = new InetSocketAddress(chunk.getHost(), chunk.getPort());
        try (ChunkserverClient server = connect(address)) {
          server.awaitSorted(JOB, chunk.getChunk(), 1000, DEADLINE);
          sorted.add(chunk.getChunk());
        } catch (RemoteException e) {
          assertThat(e.status()).as("nobody appended").isEqualTo(Status.CHUNK_UNKNOWN);
        }
      }
      await()
          .atMost(DEADLINE)
          .until(
              () ->
                  client.describeJob(JOB, -1).getChunksList().stream()
                      .filter(chunk -> sorted.contains(chunk.getChunk()))
                      .allMatch(chunk -> chunk.getState() == ChunkState.SORTED.code()));
      List<ChunkDescription> chunks = new ArrayList<>(client.describeJob(JOB, -1).getChunksList());
      chunks.removeIf(chunk -> !sorted.contains(chunk.getChunk()));
      return chunks;
    }
  }

  // ---- its plan

  /** Reads as the job itself, which is told nothing of others. */
  private JobData read(KeyOrder order, int[] winners, LongFunction<ReducePolicy> policy)
      throws IOException {
    Credentials job = daemons.task(JOB, SECRET);
    try (MetaserverClient client =
        MetaserverClient.connect(daemons.address(), "test", job, DEADLINE)) {
      PlanReader.Chunkservers chunkservers =
          address -> ChunkserverClient.connect(address, "test", job, DEADLINE);
      return new PlanReader(client, chunkservers, JOB, new GroupOrder(order, null))
          .read(winners, false, policy);
    }
  }

  private void assertTotals(JobData data) throws IOException {
    assertThat(data.winners()).isEqualTo(WINNERS.length / 2);
    assertThat(data.lost()).isEmpty();
    assertThat(data.partitions()).hasSize(PARTITIONS);
    try (MetaserverClient client = daemons.client()) {
      for (int p = 0; p < PARTITIONS; p++) {
        PlanPartitionRequest.Builder request =
            PlanPartitionRequest.newBuilder().setJob(JOB).setPartition(p);
        Arrays.stream(WINNERS).forEach(request::addWinners);
        List<WinnerManifest> manifests = client.planPartition(request.build()).getWinnersList();
        PartitionData partition = data.partitions().get(p);
        assertThat(partition.records())
            .isEqualTo(expected.get(p).size())
            .isEqualTo(manifests.stream().mapToLong(WinnerManifest::getRecords).sum());
        assertThat(partition.rawBytes())
            .isEqualTo(manifests.stream().mapToLong(WinnerManifest::getRawBytes).sum());
      }
    }
  }

  private void assertReads(KeyOrder order, ReducePlan plan) throws IOException {
    ImergerConfig config =
        new ImergerConfig(
            List.of(daemons.address()), 8 << 20, temporary, DEADLINE, daemons.task(JOB, SECRET));
    List<List<String>> read =
        IntStream.range(0, PARTITIONS).<List<String>>mapToObj(p -> new ArrayList<>()).toList();
    for (ReduceWork work : plan.works()) {
      for (int p = work.firstPartition(); p <= work.lastPartition(); p++) {
        try (Imerger reader = Imerger.open(config, JOB, p, order, "test")) {
          reader.start(WINNERS, work.isWhole() ? null : new KeyRange(work.from(), work.to()));
          while (reader.next()) {
            read.get(p)
                .add(
                    text(reader.keyBuffer(), reader.keyOffset(), reader.keyLength())
                        + "="
                        + text(reader.valueBuffer(), reader.valueOffset(), reader.valueLength()));
          }
        }
      }
    }
    for (int p = 0; p < PARTITIONS; p++) {
      assertThat(read.get(p)).isEqualTo(expected.get(p).stream().map(Item::text).toList());
    }
  }

  @Test
  void eachRecordIsInOneWorkOfThePlan(SplittableRandom random) throws IOException {
    write(spec(NORMALIZED, false), random);
    sortAll();
    JobData data = read(NORMALIZED, WINNERS, POLICY);
    assertTotals(data);
    ReducePlan plan = data.plan();
    assertThat(plan.refusals()).isEmpty();
    assertThat(plan.rawBytes())
        .isEqualTo(data.partitions().stream().mapToLong(PartitionData::rawBytes).sum());
    assertThat(plan.works())
        .filteredOn(work -> work.firstPartition() == LARGE)
        .hasSizeGreaterThan(3)
        .allMatch(work -> work.rawBytes() <= TARGET);
    assertThat(plan.works()).anyMatch(work -> work.partitions() > 1);
    assertThat(plan.heavyKeys()).extracting(HeavyKey::key).containsExactly("\"heavy\"");
    assertReads(NORMALIZED, plan);
  }

  @Test
  void theTargetMayFollowFromTheTotals(SplittableRandom random) throws IOException {
    write(spec(NORMALIZED, false), random);
    TaskCost cost = new TaskCost(2, 1, 1, 1e-6);
    JobData data =
        read(NORMALIZED, WINNERS, bytes -> ReducePolicy.auto(cost.target(bytes, 1, TARGET), 1000));
    long bytes = data.partitions().stream().mapToLong(PartitionData::rawBytes).sum();
    assertThat(data.policy().target()).isEqualTo(cost.target(bytes, 1, TARGET));
    assertTotals(read(NORMALIZED, WINNERS, total -> ReducePolicy.FIXED));
    assertThat(read(NORMALIZED, WINNERS, total -> ReducePolicy.FIXED).plan().works())
        .hasSize(PARTITIONS)
        .allMatch(ReduceWork::isWhole);
  }

  @Test
  void namesWinnersWhoseOutputIsLost(SplittableRandom random) throws IOException {
    write(spec(NORMALIZED, false), random);
    JobData data = read(NORMALIZED, new int[] {3, 0, 9, 0, 4, 7}, total -> ReducePolicy.FIXED);
    assertThat(data.winners()).isEqualTo(1);
    assertThat(data.lost()).containsExactly(9, 0, 4, 7);
    assertThat(data.partitions().stream().mapToLong(PartitionData::records).sum())
        .isEqualTo(RECORDS_PER_MAP);
  }

  private static Set<Integer> refused(ReducePlan plan) {
    return new TreeSet<>(plan.refusals().stream().map(Refusal::partition).toList());
  }

  @Test
  void whatIsNotSortedKeepsItsPartitionWhole(SplittableRandom random) throws IOException {
    write(spec(NORMALIZED, false), random);
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(refused(read(NORMALIZED, WINNERS, POLICY).plan()))
                    .containsExactly(LARGE, HEAVY));
    assertReads(NORMALIZED, read(NORMALIZED, WINNERS, POLICY).plan());
  }

  @Test
  void aServerThatCannotBeAskedKeepsItsPartitionsWhole(SplittableRandom random) throws IOException {
    write(spec(NORMALIZED, false), random);
    List<ChunkDescription> chunks = sortAll();
    Chunkserver stopped = daemons.chunkservers().get(0);
    int port = stopped.port();
    Set<Integer> touched = new TreeSet<>();
    for (ChunkDescription chunk : chunks) {
      boolean large = chunk.getPartition() == LARGE || chunk.getPartition() == HEAVY;
      if (large && chunk.getPort() == port) {
        touched.add(chunk.getPartition());
      }
    }
    assertThat(touched).isNotEmpty();
    daemons.restartChunkserver(
        0,
        () -> {
          ReducePlan plan = read(NORMALIZED, WINNERS, POLICY).plan();
          assertThat(refused(plan)).isEqualTo(touched);
          assertThat(plan.refusals())
              .extracting(Refusal::reason)
              .allMatch(reason -> reason.contains("is missing: chunkserver 127.0.0.1:" + port));
          assertThat(plan.works())
              .filteredOn(work -> touched.contains(work.firstPartition()))
              .hasSameSizeAs(touched)
              .allMatch(ReduceWork::isWhole);
        });
  }

  @Test
  void encryptedKeysAreNotAskedFor(SplittableRandom random) throws IOException {
    write(spec(NORMALIZED, true), random);
    sortAll();
    ReducePlan plan = read(NORMALIZED, WINNERS, POLICY).plan();
    assertThat(plan.refusals())
        .containsExactly(
            new Refusal(LARGE, "its keys are encrypted"),
            new Refusal(HEAVY, "its keys are encrypted"));
    assertReads(NORMALIZED, plan);
  }

  @Test
  void whatAComparatorOrdersIsSplitToo(SplittableRandom random) throws IOException {
    write(spec(COMPARATOR, false), random);
    sortAll();
    JobData data = read(COMPARATOR, WINNERS, POLICY);
    assertTotals(data);
    ReducePlan plan = data.plan();
    assertThat(plan.refusals()).isEmpty();
    assertThat(plan.works())
        .filteredOn(work -> work.firstPartition() == LARGE)
        .hasSizeGreaterThan(3)
        .allMatch(work -> work.rawBytes() <= TARGET);
    assertThat(plan.works()).filteredOn(work -> work.firstPartition() == HEAVY).isNotEmpty();
    assertReads(COMPARATOR, plan);
  }

  @Test
  void whatAComparatorThrowsKeepsPartitionsWhole(SplittableRandom random) throws IOException {
    write(spec(COMPARATOR, false), random);
    sortAll();
    KeyOrder failing =
        KeyOrder.of(
            (left, leftAt, leftLength, right, rightAt, rightLength) -> {
              throw new IllegalArgumentException("not a key");
            });
    ReducePlan plan = read(failing, WINNERS, POLICY).plan();
    assertThat(refused(plan)).containsExactly(LARGE, HEAVY);
    assertThat(plan.refusals()).allMatch(refusal -> refusal.reason().contains("not a key"));
    assertReads(COMPARATOR, plan);
  }

  @Test
  void whatOnlyAComparatorCanOrderStaysWholeWithoutIt(SplittableRandom random) throws IOException {
    write(spec(COMPARATOR, false), random);
    ReducePlan plan = read(NORMALIZED, WINNERS, POLICY).plan();
    assertThat(refused(plan)).containsExactly(LARGE, HEAVY);
    assertThat(plan.refusals().get(0).reason()).contains("only the job's comparator knows");
  }

  @Test
  void keysOfAComparatorStayEncrypted(SplittableRandom random) throws IOException {
    write(spec(COMPARATOR, true), random);
    for (ChunkDescription chunk : sortAll()) {
      try (ChunkserverClient server =
          connect(new InetSocketAddress(chunk.getHost(), chunk.getPort()))) {
        ChunkTail tail = server.awaitSorted(JOB, chunk.getChunk(), 1000, DEADLINE);
        for (int entry = 0; entry < tail.entries(); entry++) {
          assertThat(tail.entryKey(entry)).isNull();
        }
      }
    }
    ReducePlan plan = read(COMPARATOR, WINNERS, POLICY).plan();
    assertThat(plan.refusals()).extracting(Refusal::reason).contains("its keys are encrypted");
    byte[] middle = ByteBuffer.allocate(4).putInt(1 << 30).array();
    List<ReduceWork> halves = new ArrayList<>();
    for (int p = 0; p < PARTITIONS; p++) {
      halves.add(new ReduceWork(halves.size(), p, p, 0, null, middle, 0, 0, 0));
      halves.add(new ReduceWork(halves.size(), p, p, 1, middle, null, 0, 0, 0));
    }
    WorkTarget target = WorkTarget.given(TARGET);
    assertReads(COMPARATOR, new ReducePlan(target, halves, List.of(), List.of(), List.of()));
  }

  @Test
  void anotherOrderThanTheJobsIsRefused(SplittableRandom random) throws IOException {
    write(spec(NORMALIZED, false), random);
    assertThatThrownBy(() -> read(COMPARATOR, WINNERS, POLICY))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("job=" + JOB + " was written with ordering=NORMALIZED");
  }
}
