package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Seeded
@Timeout(120)
class IappenderTest {
  private static final KeyOrder TEXT = KeyOrder.normalized(KeyEncoding.TEXT);

  private static IfileSpec spec(int partitions, KeyOrder order, CodecId codec) {
    return new IfileSpec("job_1", partitions, order, codec);
  }

  /** Appends records of all lengths, then checks that they are all there. */
  private static void roundTrip(
      SplittableRandom random, long memory, int records, int maxLength, IfileSpec spec)
      throws IOException {
    try (FakeCluster cluster =
            new FakeCluster(3, 1 << 20, (server, block) -> FakeCluster.Fault.NONE);
        Iappender appender = Iappender.open(Configs.memory(cluster, memory), spec, 3, 1)) {
      Emitted emitted = new Emitted(spec.order());
      for (int i = 0; i < records; i++) {
        byte[] key = Keys.random(random, spec.order().encoding(), 300);
        int length = TestBytes.skewedLength(random, maxLength);
        byte[] value = TestBytes.compressible(random, length, 0.5);
        emitted.append(appender, random.nextInt(spec.partitions()), key, value);
      }
      long committed = appender.commit();
      assertThat(appender.records()).isEqualTo(records);
      assertThat(appender.resent()).as("only for chunks that are full").isLessThan(records);
      emitted.verify(cluster, committed, appender.rawBytes());
    }
  }

  @ParameterizedTest
  @EnumSource(CodecId.class)
  void givesBackEveryRecordWithEveryCodec(CodecId codec, SplittableRandom random)
      throws IOException {
    roundTrip(random, 8 << 20, 3000, 200_000, spec(5, TEXT, codec));
    roundTrip(random, 8 << 20, 3000, 200_000, spec(5, KeyOrder.of(Keys.BY_LAST_BYTE), codec));
  }

  @ParameterizedTest
  @EnumSource(KeyEncoding.class)
  void givesBackEveryKeyAsItWasSerialized(KeyEncoding encoding, SplittableRandom random)
      throws IOException {
    roundTrip(random, 1 << 20, 20_000, 300, spec(4, KeyOrder.normalized(encoding), CodecId.NONE));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 3000})
  void worksWithManyPartitionsInLittleMemory(int partitions, SplittableRandom random)
      throws IOException {
    roundTrip(random, 8 << 20, 60_000, 1000, spec(partitions, TEXT, CodecId.LZ4));
    roundTrip(random, 1 << 20, 60_000, 100, spec(partitions, TEXT, CodecId.NONE));
    roundTrip(
        random,
        1 << 20,
        60_000,
        100,
        spec(partitions, KeyOrder.of(Keys.BY_LAST_BYTE), CodecId.NONE));
  }

  @ParameterizedTest
  @EnumSource(
      value = CodecId.class,
      names = {"NONE", "LZ4"})
  void takesRecordsLargerThanAllItsMemory(CodecId codec, SplittableRandom random)
      throws IOException {
    roundTrip(random, 8 << 20, 40, 20 << 20, spec(3, TEXT, codec));
    roundTrip(random, 8 << 20, 40, 20 << 20, spec(3, KeyOrder.of(Keys.BY_LAST_BYTE), codec));
  }

  /** The metaserver takes no request that is too long for its heap. */
  @Test
  void bindsThousandsOfPartitionsWithSeveralRequests(SplittableRandom random) throws IOException {
    int partitions = 10_000;
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(
                Configs.memory(cluster, 8 << 20), spec(partitions, TEXT, CodecId.NONE), 0, 0)) {
      Emitted emitted = new Emitted(TEXT);
      for (int partition = 0; partition < partitions; partition++) {
        byte[] key = Keys.random(random, KeyEncoding.TEXT, 10);
        emitted.append(appender, partition, key, TestBytes.random(random, 10));
      }
      emitted.verify(cluster, appender.commit(), appender.rawBytes());
      assertThat(cluster.binds()).isEqualTo(2);
      assertThat(cluster.boundPartitions()).isEqualTo(partitions);
    }
  }

  @Test
  void aRecordLargerThanABlockIsABlockOfItsOwn(SplittableRandom random) throws IOException {
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(
                Configs.small(cluster, Duration.ofSeconds(30)),
                spec(1, TEXT, CodecId.NONE),
                0,
                0)) {
      Emitted emitted = new Emitted(TEXT);
      for (int length : new int[] {10, 20, 5000, 30, 0}) {
        byte[] key = Keys.random(random, KeyEncoding.TEXT, 10);
        emitted.append(appender, 0, key, TestBytes.random(random, length));
      }
      emitted.verify(cluster, appender.commit(), appender.rawBytes());
      assertThat(Emitted.blocks(cluster).get(0))
          .extracting(block -> block.header().records())
          .containsExactly(2, 1, 2);
    }
  }

  @Test
  void serializersWriteToTheStream(SplittableRandom random) throws IOException {
    KeyOrder order = KeyOrder.normalized(KeyEncoding.BYTES);
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(
                Configs.small(cluster, Duration.ofSeconds(30)),
                spec(2, order, CodecId.NONE),
                0,
                0)) {
      Emitted emitted = new Emitted(order);
      DataOutputStream out = appender.output();
      for (int i = 0; i < 5000; i++) {
        byte[] key = TestBytes.random(random, random.nextInt(30));
        byte[] value = TestBytes.random(random, random.nextInt(300));
        appender.startRecord(i % 2);
        out.writeInt(key.length);
        out.write(key);
        appender.endKey();
        for (byte b : value) {
          out.write(b);
        }
        out.flush();
        appender.endRecord();
        emitted.add(i % 2, Keys.serialized(KeyEncoding.BYTES, key), value);
      }
      emitted.verify(cluster, appender.commit(), appender.rawBytes());
    }
  }

  @Test
  void anAbandonedRecordLeavesNothingBehind(SplittableRandom random) throws IOException {
    KeyOrder order = KeyOrder.normalized(KeyEncoding.BYTES);
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(
                Configs.small(cluster, Duration.ofSeconds(30)),
                spec(3, order, CodecId.NONE),
                0,
                0)) {
      Emitted emitted = new Emitted(order);
      for (int i = 0; i < 3000; i++) {
        int partition = random.nextInt(3);
        byte[] key = Keys.random(random, KeyEncoding.BYTES, 20);
        if (random.nextInt(3) == 0) {
          appender.startRecord(partition);
          appender.output().write(TestBytes.random(random, random.nextInt(40)));
          if (random.nextBoolean()) {
            appender.output().write(TestBytes.random(random, random.nextInt(4000)));
          }
          appender.abandonRecord();
        }
        emitted.append(appender, partition, key, TestBytes.random(random, random.nextInt(200)));
      }
      appender.abandonRecord();
      emitted.verify(cluster, appender.commit(), appender.rawBytes());
    }
  }

  @Test
  void aKeyOfAnotherClassIsAnErrorThatCanBeAbandoned() throws IOException {
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 8 << 20), spec(1, TEXT, CodecId.NONE), 0, 0)) {
      appender.startRecord(0);
      appender.output().write(new byte[] {100, 1});
      assertThatThrownBy(appender::endKey)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("TEXT");
      appender.abandonRecord();
      Emitted emitted = new Emitted(TEXT);
      emitted.append(appender, 0, new byte[] {1, 7}, new byte[0]);
      emitted.verify(cluster, appender.commit(), appender.rawBytes());
    }
  }

  @Test
  void misuseIsAnErrorAndNotAWrongRecord() throws IOException {
    try (FakeCluster cluster = FakeCluster.healthy()) {
      Iappender appender =
          Iappender.open(Configs.memory(cluster, 8 << 20), spec(2, TEXT, CodecId.NONE), 0, 0);
      assertThatThrownBy(() -> appender.output().write(1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("startRecord");
      assertThatThrownBy(() -> appender.startRecord(2))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("partition=2 partitions=2");
      assertThatThrownBy(() -> appender.startRecord(-1)).isInstanceOf(IOException.class);
      assertThatThrownBy(appender::endRecord).isInstanceOf(IllegalStateException.class);
      appender.startRecord(1);
      assertThatThrownBy(() -> appender.startRecord(1)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(appender::endRecord).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(appender::commit).isInstanceOf(IllegalStateException.class);
      appender.abandonRecord();
      appender.commit();
      assertThatThrownBy(() -> appender.startRecord(1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("committed");
      assertThatThrownBy(appender::commit).isInstanceOf(IllegalStateException.class);
      appender.close();
      appender.close();
      assertThat(cluster.aborts()).isZero();
    }
  }

  @Test
  void anEmptyAttemptCommitsAnEmptyManifestAndBindsNothing() throws IOException {
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 8 << 20), spec(9, TEXT, CodecId.ZSTD), 5, 2)) {
      assertThat(appender.commit()).isZero();
      assertThat(appender.rawBytes()).isZero();
      assertThat(appender.storedBytes()).isZero();
      assertThat(appender.blocks()).isZero();
      assertThat(cluster.manifest().getPartitionsCount()).isZero();
      assertThat(cluster.manifest().getMap()).isEqualTo(5);
      assertThat(cluster.manifest().getAttempt()).isEqualTo(2);
      assertThat(cluster.binds()).isZero();
    }
  }

  @Test
  void bindsAllPartitionsWithDataAtOnce() throws IOException {
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 8 << 20), spec(50, TEXT, CodecId.NONE), 0, 0)) {
      Emitted emitted = new Emitted(TEXT);
      for (int i = 0; i < 40; i++) {
        emitted.append(appender, i, new byte[] {1, 7}, new byte[9]);
      }
      emitted.verify(cluster, appender.commit(), appender.rawBytes());
      assertThat(cluster.binds()).isEqualTo(1);
      assertThat(cluster.boundPartitions()).isEqualTo(40);
    }
  }

  @Test
  void closingWithoutCommitAborts() throws IOException {
    try (FakeCluster cluster = FakeCluster.healthy()) {
      Iappender appender =
          Iappender.open(
              Configs.small(cluster, Duration.ofSeconds(30)), spec(2, TEXT, CodecId.NONE), 0, 0);
      for (int i = 0; i < 100; i++) {
        appender.append(1, new byte[] {1, 7}, 0, 2, new byte[100], 0, 100);
      }
      appender.close();
      assertThat(appender.abortFailure()).isNull();
      assertThat(cluster.aborts()).isEqualTo(1);
      assertThat(cluster.manifest()).isNull();
    }
  }

  @Test
  void closingDoesNotThrowWhenTheMetaserverIsGone() throws IOException {
    FakeCluster cluster = FakeCluster.healthy();
    Iappender appender =
        Iappender.open(
            Configs.small(cluster, Duration.ofSeconds(30)), spec(2, TEXT, CodecId.NONE), 0, 0);
    for (int i = 0; i < 100; i++) {
      appender.append(1, new byte[] {1, 7}, 0, 2, new byte[100], 0, 100);
    }
    cluster.close();
    appender.close();
    assertThat(appender.abortFailure()).isInstanceOf(IOException.class);
  }

  @Test
  void anUnreachableMetaserverIsNamedWithTheKeyToCheck() throws IOException {
    InetSocketAddress address;
    try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      address = new InetSocketAddress(unused.getInetAddress(), unused.getLocalPort());
    }
    IappenderConfig config =
        new IappenderConfig(address, "localhost", "me", 0, 0, 0, Duration.ofMinutes(10), 0);
    long beginNs = System.nanoTime();
    assertThatThrownBy(() -> Iappender.open(config, spec(1, TEXT, CodecId.NONE), 0, 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("sailfish.metaserver.address")
        .hasMessageContaining(":" + address.getPort())
        .hasMessageContaining("check");
    assertThat(Duration.ofNanos(System.nanoTime() - beginNs)).isLessThan(Duration.ofMinutes(1));
  }

  @Test
  void incompressibleBlocksAreStoredAsTheyAre(SplittableRandom random) throws IOException {
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 8 << 20), spec(1, TEXT, CodecId.LZ4), 0, 0)) {
      Emitted emitted = new Emitted(TEXT);
      emitted.append(appender, 0, new byte[] {1, 7}, TestBytes.random(random, 50_000));
      emitted.verify(cluster, appender.commit(), appender.rawBytes());
      BlockHeader header = Emitted.blocks(cluster).get(0).get(0).header();
      assertThat(header.codec()).isEqualTo(CodecId.NONE);
      assertThat(appender.storedBytes()).isEqualTo(appender.rawBytes());
    }
  }

  @Test
  void blocksOfALongInputAreFull(SplittableRandom random) throws IOException {
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 64 << 20), spec(8, TEXT, CodecId.NONE), 0, 0)) {
      byte[] value = "v".repeat(90).getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < 200_000; i++) {
        byte[] key = Keys.serialized(KeyEncoding.TEXT, TestBytes.text(random, 10));
        appender.append(i % 8, key, 0, key.length, value, 0, value.length);
      }
      appender.commit();
      for (List<FakeCluster.Stored> blocks : Emitted.blocks(cluster).values()) {
        assertThat(blocks.subList(0, blocks.size() - 1))
            .allSatisfy(block -> assertThat(block.header().rawLength()).isGreaterThan(262_000));
      }
    }
  }
}
