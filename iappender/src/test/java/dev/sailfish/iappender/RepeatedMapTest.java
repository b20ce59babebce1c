package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.iappender.FakeCluster.Fault;
import dev.sailfish.protocol.wire.HeldPartition;
import dev.sailfish.protocol.wire.PartitionManifest;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/**
 * A map with a combiner that runs again makes the same records, whichever partitions are held,
 * however its blocks are compressed, and whenever they are acknowledged.
 */
@Seeded
@Timeout(240)
class RepeatedMapTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int RECORDS = 120_000;
  private static final int LONGEST_VALUE = 3000;
  private static final KeyComparator BYTES =
      (left, leftOffset, leftLength, right, rightOffset, rightLength) ->
          Arrays.compareUnsigned(
              left,
              leftOffset,
              leftOffset + leftLength,
              right,
              rightOffset,
              rightOffset + rightLength);

  /** What one map appends. */
  private record Input(Seed seed, int partitions, long memoryBytes, KeyOrder order) {
    static Input random(Seed seed) {
      SplittableRandom random = seed.derive("shape").splittable();
      int partitions = 2 + random.nextInt(1000);
      long memory = (1L << 20) + random.nextInt(8 << 20);
      KeyOrder order =
          random.nextBoolean() ? KeyOrder.normalized(KeyEncoding.BYTES) : KeyOrder.of(BYTES);
      return new Input(seed, partitions, memory, order);
    }

    void append(Iappender appender) throws IOException {
      SplittableRandom random = seed.derive("records").splittable();
      byte[] value = new byte[LONGEST_VALUE];
      for (int i = 0; i < RECORDS; i++) {
        double skewed = random.nextDouble();
        int partition = (int) (partitions * skewed * skewed * skewed);
        byte[] key = new byte[Integer.BYTES + 1 + random.nextInt(8)];
        int number = random.nextInt(20);
        ByteBuffer.wrap(key).putInt(key.length - Integer.BYTES).put((byte) number);
        ByteBuffer.wrap(value).putLong(1);
        int length = Long.BYTES + (random.nextInt(100) == 0 ? random.nextInt(2900) : 0);
        appender.append(partition, key, 0, key.length, value, 0, length);
      }
    }
  }

  /** What an attempt has made of each partition, and the blocks of those that it appended. */
  private record Output(Map<Integer, String> partitions, Map<Integer, String> blocks) {}

  /** Keeps of each key the first value, with the counts of all added up in it. */
  private static void combine(SortedRecords sorted, CombinedOutput combined) throws IOException {
    byte[] key = null;
    byte[] value = null;
    while (sorted.next()) {
      int from = sorted.keyOffset();
      int to = from + sorted.keyLength();
      long count = ByteBuffer.wrap(sorted.valueBuffer()).getLong(sorted.valueOffset());
      if (key != null && Arrays.equals(key, 0, key.length, sorted.keyBuffer(), from, to)) {
        count += ByteBuffer.wrap(value).getLong();
      } else {
        if (key != null) {
          combined.append(key, 0, key.length, value, 0, value.length);
        }
        key = Arrays.copyOfRange(sorted.keyBuffer(), from, to);
        value =
            Arrays.copyOfRange(
                sorted.valueBuffer(),
                sorted.valueOffset(),
                sorted.valueOffset() + sorted.valueLength());
      }
      ByteBuffer.wrap(value).putLong(count);
    }
    if (key != null) {
      combined.append(key, 0, key.length, value, 0, value.length);
    }
  }

  private static Output run(
      Input input, CodecId codec, List<HeldPartition> held, int window, FakeCluster.Script script)
      throws IOException {
    IfileSpec spec = new IfileSpec("job_1", input.partitions, input.order, codec);
    try (FakeCluster cluster = new FakeCluster(2, 4 << 20, script)) {
      cluster.hold(held);
      IappenderConfig config =
          new IappenderConfig(
              cluster.metaserver(),
              "localhost",
              "nobody",
              input.memoryBytes,
              0,
              window,
              DEADLINE,
              0);
      try (Iappender appender = Iappender.open(config, spec, 0, 3, RepeatedMapTest::combine)) {
        input.append(appender);
        appender.commit();
      }
      Map<Integer, String> partitions = new TreeMap<>();
      for (PartitionManifest partition : cluster.manifest().getPartitionsList()) {
        partitions.put(partition.getPartition(), sums(partition));
      }
      Map<Integer, String> blocks = new TreeMap<>();
      Emitted.blocks(cluster)
          .forEach((partition, stored) -> blocks.put(partition, lengths(stored)));
      return new Output(partitions, blocks);
    }
  }

  private static String sums(PartitionManifest partition) {
    return "records="
        + partition.getRecords()
        + " bytes="
        + partition.getRecordBytes()
        + " checksum="
        + partition.getChecksum();
  }

  private static String lengths(List<FakeCluster.Stored> blocks) {
    StringBuilder text = new StringBuilder();
    for (FakeCluster.Stored block : blocks) {
      text.append(block.header().records()).append('/').append(block.header().rawLength());
      text.append(' ');
    }
    return text.toString();
  }

  /** As the metaserver says it of an arbitrary part of what an attempt committed. */
  private static List<HeldPartition> some(Output first, SplittableRandom random) {
    double share = random.nextInt(5) / 4.0;
    List<HeldPartition> held = new ArrayList<>();
    for (Map.Entry<Integer, String> partition : first.partitions.entrySet()) {
      if (random.nextDouble() < share) {
        String[] sums = partition.getValue().split("[a-z ]+=");
        held.add(
            HeldPartition.newBuilder()
                .setPartition(partition.getKey())
                .setAttempt(1)
                .setRecords(Long.parseLong(sums[1]))
                .setRecordBytes(Long.parseLong(sums[2]))
                .setChecksum(Long.parseLong(sums[3]))
                .build());
      }
    }
    return held;
  }

  private static FakeCluster.Script weather(SplittableRandom random) {
    int kind = random.nextInt(3);
    return (server, block) -> {
      if (kind == 0) {
        return Fault.NONE;
      }
      if (kind == 2 && random.nextInt(30) == 0) {
        return Fault.refuse(Status.BUSY);
      }
      return random.nextInt(3) == 0 ? Fault.NONE : Fault.LATE;
    };
  }

  @RepeatedTest(8)
  void makesTheSameRecordsWhateverIsHeldAndWheneverAcksCome(Seed seed) throws IOException {
    Input input = Input.random(seed);
    Output first = run(input, CodecId.NONE, List.of(), 0, (server, block) -> Fault.NONE);
    SplittableRandom random = seed.derive("runs").splittable();
    for (int i = 0; i < 3; i++) {
      CodecId codec = random.nextBoolean() ? CodecId.NONE : CodecId.LZ4;
      List<HeldPartition> held = some(first, random);
      int window = random.nextBoolean() ? 0 : 64 << 10;
      Output again =
          run(input, codec, held, window, weather(seed.derive("weather" + i).splittable()));
      String what = input + " codec=" + codec + " held=" + held.size() + " window=" + window;
      assertThat(again.partitions).as(what).isEqualTo(first.partitions);
      Map<Integer, String> appended = new TreeMap<>(first.blocks);
      for (HeldPartition partition : held) {
        appended.remove(partition.getPartition());
      }
      assertThat(again.blocks).as(what).isEqualTo(appended);
    }
  }
}
