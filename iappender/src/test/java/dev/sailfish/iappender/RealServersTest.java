package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.codec.BlockCompression;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.iappender.Emitted.Pair;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.ChunkLocation;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The iappender on a real metaserver and real chunkservers. */
@Seeded
@Timeout(120)
class RealServersTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final String JOB = "job_1_1";
  private static final int PARTITIONS = 3;

  @TempDir private Path directory;

  /** One metaserver and two chunkservers. */
  private final class Servers implements Closeable {
    private final Metaserver metaserver;
    private final List<Chunkserver> chunkservers = new ArrayList<>();

    Servers() throws IOException {
      metaserver =
          Metaserver.start(
              MetaserverConfig.of(
                  Map.of(
                      "sailfish.metaserver.host", "127.0.0.1",
                      "sailfish.metaserver.port", "0",
                      "sailfish.metaserver.web.port", "0",
                      "sailfish.metaserver.journal.dir", "none",
                      "sailfish.metaserver.authentication", "none")));
      for (int i = 0; i < 2; i++) {
        chunkservers.add(Chunkserver.start(ChunkserverConfig.of(settings(i))));
      }
      try (MetaserverClient client = client()) {
        Awaitility.await()
            .atMost(DEADLINE)
            .until(
                () ->
                    client
                            .status()
                            .getCountersOrDefault(MetaserverMetric.REGISTRATIONS.fullName(), 0)
                        >= chunkservers.size());
      }
    }

    private Map<String, String> settings(int ordinal) {
      Map<String, String> settings = new HashMap<>();
      String prefix = ChunkserverConfig.PREFIX;
      settings.put(prefix + "host", "127.0.0.1");
      settings.put(prefix + "port", "0");
      settings.put(prefix + "web.port", "0");
      settings.put(prefix + "authentication", "none");
      settings.put(prefix + "metaserver.address", "127.0.0.1:" + metaserver.port());
      settings.put(prefix + "memory.dir", directory.resolve("memory" + ordinal).toString());
      settings.put(prefix + "memory.size", "256m");
      settings.put(prefix + "data.dirs", directory.resolve("disk" + ordinal) + ":capacity=2g");
      return settings;
    }

    InetSocketAddress address() {
      return new InetSocketAddress("127.0.0.1", metaserver.port());
    }

    MetaserverClient client() throws IOException {
      return MetaserverClient.connect(address(), "test", DEADLINE);
    }

    @Override
    public void close() throws IOException {
      for (Chunkserver chunkserver : chunkservers) {
        chunkserver.close();
      }
      metaserver.close();
    }
  }

  private static void append(Iappender appender, SplittableRandom random, List<List<Pair>> expected)
      throws IOException {
    for (int i = 0; i < 40_000; i++) {
      byte[] key = Keys.random(random, KeyEncoding.TEXT, 30);
      int length = TestBytes.skewedLength(random, i % 5000 == 0 ? 3_000_000 : 300);
      byte[] value = TestBytes.compressible(random, length, 0.5);
      int partition = random.nextInt(PARTITIONS);
      appender.append(partition, key, 0, key.length, value, 0, value.length);
      expected.get(partition).add(new Pair(key, value));
    }
  }

  private static List<List<Pair>> empty() {
    List<List<Pair>> lists = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      lists.add(new ArrayList<>());
    }
    return lists;
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void sortedChunksHoldEveryRecordOfTheWinner(CodecId codec, SplittableRandom random)
      throws IOException {
    KeyOrder order = KeyOrder.normalized(KeyEncoding.TEXT);
    IfileSpec spec = new IfileSpec(JOB, PARTITIONS, order, codec);
    try (Servers servers = new Servers();
        MetaserverClient client = servers.client()) {
      IappenderConfig config =
          new IappenderConfig(
              servers.address(), "127.0.0.1", "me", 8 << 20, 0, 0, DEADLINE, 1 << 20);
      try (Iappender loser = Iappender.open(config, spec, 0, 0)) {
        append(loser, random, empty());
      }
      List<List<Pair>> expected = empty();
      try (Iappender winner = Iappender.open(config, spec, 0, 1)) {
        append(winner, random, expected);
        assertThat(winner.commit()).isEqualTo(40_000);
      }
      for (int partition = 0; partition < PARTITIONS; partition++) {
        List<Pair> actual = read(client, partition);
        assertThat(actual.size()).isEqualTo(expected.get(partition).size());
        assertThat(sorted(actual).equals(sorted(expected.get(partition)))).isTrue();
      }
      client.deleteJob(JOB);
    }
  }

  private static List<Pair> sorted(List<Pair> pairs) {
    List<Pair> copy = new ArrayList<>(pairs);
    copy.sort(
        (left, right) -> {
          int keys = Arrays.compareUnsigned(left.key(), right.key());
          return keys != 0 ? keys : Arrays.compareUnsigned(left.value(), right.value());
        });
    return copy;
  }

  /** All records of the attempt 1 in the chunks that the plan names. */
  private static List<Pair> read(MetaserverClient client, int partition) throws IOException {
    PlanPartitionResponse plan =
        client.planPartition(
            PlanPartitionRequest.newBuilder()
                .setJob(JOB)
                .setPartition(partition)
                .addWinners(0)
                .addWinners(1)
                .setFinal(true)
                .build());
    assertThat(plan.getWinners(0).getKnown()).isTrue();
    List<Pair> pairs = new ArrayList<>();
    for (ChunkLocation chunk : plan.getChunksList()) {
      InetSocketAddress address = new InetSocketAddress(chunk.getHost(), chunk.getPort());
      try (ChunkserverClient server = ChunkserverClient.connect(address, "test", DEADLINE)) {
        ChunkTail tail = server.awaitSorted(JOB, chunk.getChunk(), 5000, DEADLINE);
        for (int entry = 0; entry < tail.entries(); entry++) {
          byte[] block =
              server.read(JOB, chunk.getChunk(), tail.entryOffset(entry), tail.entryLength(entry));
          addRecords(block, tail, pairs);
        }
      }
    }
    assertThat(pairs.size()).isEqualTo(plan.getWinners(0).getRecords());
    return pairs;
  }

  private static void addRecords(byte[] block, ChunkTail tail, List<Pair> pairs)
      throws IOException {
    BlockHeader header = BlockHeader.read(ByteBuffer.wrap(block), 0, block.length);
    byte[] raw = new byte[header.rawLength()];
    BlockCompression.of(header.codec())
        .decompress(block, BlockHeader.LENGTH, header.storedLength(), raw, 0, raw.length);
    RecordCursor cursor = new RecordCursor();
    cursor.reset(raw, 0, raw.length, header.tagged());
    while (cursor.next()) {
      if (tail.sourceAttempt(cursor.source()) == 1) {
        byte[] key = Arrays.copyOfRange(raw, cursor.keyOffset(), cursor.valueOffset());
        int end = cursor.valueOffset() + cursor.valueLength();
        byte[] value = Arrays.copyOfRange(raw, cursor.valueOffset(), end);
        pairs.add(new Pair(Keys.serialized(KeyEncoding.TEXT, key), value));
      }
    }
  }
}
