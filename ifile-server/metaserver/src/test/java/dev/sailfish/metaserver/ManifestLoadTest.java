package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.metaserver.state.CoreFixture;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import dev.sailfish.protocol.wire.WinnerManifest;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Very many manifests in a small heap: committed, planned, restarted, failed over. */
class ManifestLoadTest {
  private static final String JOB = "job_1_1";
  private static final int CHUNKS_PER_PARTITION = 5;
  private static final int PLANS = 20;
  private static final int MANY_MAPS = Integer.getInteger("sailfish.load.maps", 10_000);
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Of a plan of 10 000 maps, with the client's part, on a machine that does other things too. */
  private static final long MOST_MS_PER_PLAN = 1_000;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  private final List<MetaserverProcess> metaservers = new ArrayList<>();
  private final List<List<Long>> chunks = new ArrayList<>();
  private int maps;
  private int partitions;
  private String heap;

  @AfterEach
  void stop() {
    metaservers.forEach(MetaserverProcess::close);
  }

  /** A million in 128 MiB: in objects of 52 bytes and more they took half of that. */
  @Test
  @Timeout(300)
  void fiveHundredMapsOfTwoThousandPartitions() throws Exception {
    run(1, 500, 2_000, "-Xmx128m");
  }

  @Test
  @Tag("long")
  @Timeout(1800)
  void tenThousandMapsOfTwoThousandPartitions() throws Exception {
    run(1, MANY_MAPS, 2_000, "-Xmx512m");
  }

  @Test
  @Tag("long")
  @Timeout(2700)
  void tenThousandMapsOfTwoThousandPartitionsAtThreeMetaservers() throws Exception {
    run(3, MANY_MAPS, 2_000, "-Xmx512m");
  }

  private void run(int count, int mapCount, int partitionCount, String maxHeap) throws Exception {
    maps = mapCount;
    partitions = partitionCount;
    heap = maxHeap;
    prepare(count);
    for (MetaserverProcess metaserver : metaservers) {
      metaserver.launch(heap);
    }
    leader();
    try (MetaserverClient client = client()) {
      openChunks(client);
      commitAll(client);
      planSome(client, "committed");
    }
    if (count > 1) {
      failOver();
    }
    for (MetaserverProcess metaserver : metaservers) {
      metaserver.kill();
    }
    long start = System.nanoTime();
    for (MetaserverProcess metaserver : metaservers) {
      metaserver.launch(heap);
    }
    leader();
    print("restarted in " + (System.nanoTime() - start) / 1_000_000 + " ms");
    try (MetaserverClient client = client()) {
      planSome(client, "restarted");
      client.deleteJob(JOB);
    }
    assertThat(leader().counter(MetaserverMetric.MANIFEST_BYTES.fullName())).isZero();
  }

  /** The one that leads is killed, another one leads, and the first one comes back. */
  private void failOver() throws Exception {
    MetaserverProcess led = leader();
    led.kill();
    metaservers.remove(led);
    leader();
    try (MetaserverClient client = client()) {
      planSome(client, "failed over");
    }
    led.launch(heap);
    metaservers.add(led);
    await("it has all manifests again")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> led.isAlive() && led.counter(MetaserverMetric.MANIFESTS_HELD.fullName()) == maps);
  }

  private static void print(String figure) {
    System.out.println("manifest load: " + figure);
  }

  private void prepare(int count) throws IOException {
    List<Integer> ports = new ArrayList<>();
    List<String> peers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ports.add(FreePort.next());
      peers.add("m" + i + "=127.0.0.1:" + ports.get(i));
    }
    for (int i = 0; i < count; i++) {
      Map<String, String> settings = new HashMap<>();
      settings.put("dead.after", "1d");
      settings.put("journal.sync", "false");
      settings.put("journal.snapshot.entries", Integer.toString(maps * 2 / 5));
      if (count > 1) {
        settings.put("peer", "m" + i);
        settings.put("peers", String.join(",", peers));
      }
      metaservers.add(new MetaserverProcess(directory.resolve("m" + i), ports.get(i), settings));
    }
  }

  private MetaserverProcess leader() {
    MetaserverProcess[] leader = {null};
    await("a metaserver leads")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              for (MetaserverProcess metaserver : metaservers) {
                if (metaserver.leads()) {
                  leader[0] = metaserver;
                }
              }
              return leader[0] != null;
            });
    return leader[0];
  }

  private MetaserverClient client() throws IOException {
    List<InetSocketAddress> addresses =
        metaservers.stream().map(MetaserverProcess::address).toList();
    return MetaserverClient.connect(
        Network.SOCKETS, addresses, "test", Credentials.none(), PATIENCE);
  }

  private void openChunks(MetaserverClient client) throws IOException {
    try (Connection server =
        Connection.open(leader().address(), "chunkserver s1", MetaserverProcess.DEADLINE)) {
      server.call(
          IfileService.REGISTER_CHUNKSERVER,
          CoreFixture.server("s1").build(),
          RegisterChunkserverResponse.parser());
    }
    // Chunks of one appender each.
    client.createIfiles(CoreFixture.job(JOB, partitions).setChunkBytes(CoreFixture.MIB).build());
    BindRequest.Builder bind = BindRequest.newBuilder().setJob(JOB);
    for (int partition = 0; partition < partitions; partition++) {
      bind.addTargets(CoreFixture.target(partition));
      chunks.add(new ArrayList<>());
    }
    for (int map = 0; map < CHUNKS_PER_PARTITION; map++) {
      BindResponse bound = client.bind(bind.setMap(map).build());
      bound.getBindingsList().forEach(b -> chunks.get(b.getPartition()).add(b.getChunk()));
    }
  }

  /** What a map wrote to a partition follows from the two. */
  private PartitionManifest wrote(int map, int partition) {
    SplittableRandom random = new SplittableRandom((long) map << 32 | partition);
    long records = random.nextInt(590, 690);
    return PartitionManifest.newBuilder()
        .setPartition(partition)
        .setRecords(records)
        .setRecordBytes(100 * records)
        .setRawBytes(102 * records)
        .setChecksum(random.nextLong())
        .addBlocks(
            ChunkBlocks.newBuilder()
                .setChunk(chunks.get(partition).get(random.nextInt(CHUNKS_PER_PARTITION)))
                .addSequences(0)
                .addSequences(1))
        .build();
  }

  private void commitAll(MetaserverClient client) throws IOException {
    long start = System.nanoTime();
    for (int map = 0; map < maps; map++) {
      CommitManifestRequest.Builder commit =
          CommitManifestRequest.newBuilder().setJob(JOB).setMap(map).setMaps(maps);
      for (int partition = 0; partition < partitions; partition++) {
        commit.addPartitions(wrote(map, partition));
      }
      FailoverTest.again(
          () -> {
            client.commitManifest(commit.build());
            return true;
          });
    }
    print(maps + " commits took " + (System.nanoTime() - start) / 1_000_000 + " ms");
    MetaserverProcess leader = leader();
    print(
        "manifest bytes="
            + leader.counter(MetaserverMetric.MANIFEST_BYTES.fullName())
            + " limit="
            + leader.counter(MetaserverMetric.MANIFEST_LIMIT_BYTES.fullName())
            + " "
            + heap);
  }

  private void planSome(MetaserverClient client, String when) throws IOException {
    PlanPartitionRequest.Builder request = PlanPartitionRequest.newBuilder().setJob(JOB);
    for (int map = 0; map < maps; map++) {
      request.addWinners(map).addWinners(0);
    }
    long[] ms = new long[PLANS];
    for (int i = 0; i < PLANS; i++) {
      int partition = i * (partitions - 1) / (PLANS - 1);
      long start = System.nanoTime();
      request.setPartition(partition);
      PlanPartitionResponse plan = FailoverTest.again(() -> client.planPartition(request.build()));
      ms[i] = (System.nanoTime() - start) / 1_000_000;
      check(plan, partition);
    }
    Arrays.sort(ms);
    print(when + ": a plan took " + ms[PLANS / 2] + " ms, at most " + ms[PLANS - 1] + " ms");
    assertThat(ms[PLANS / 2]).as("median milliseconds of a plan").isLessThan(MOST_MS_PER_PLAN);
  }

  private void check(PlanPartitionResponse plan, int partition) {
    assertThat(plan.getChunksCount()).isEqualTo(CHUNKS_PER_PARTITION);
    for (int map = 0; map < maps; map++) {
      WinnerManifest winner = plan.getWinners(map);
      PartitionManifest wrote = wrote(map, partition);
      boolean same =
          winner.getMap() == map
              && winner.getKnown()
              && winner.getRecords() == wrote.getRecords()
              && winner.getRecordBytes() == wrote.getRecordBytes()
              && winner.getRawBytes() == wrote.getRawBytes()
              && winner.getChecksum() == wrote.getChecksum()
              && winner.getBlocksList().equals(wrote.getBlocksList());
      assertThat(same).as("map=%s: %s is %s", map, winner, wrote).isTrue();
    }
  }
}
