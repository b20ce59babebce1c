package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.KeyEncoding;
import dev.sailfish.format.KeyOrder;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class IfileScannerTest {
  @TempDir Path directory;

  private static String text(byte[] key, byte[] value) {
    return Arrays.toString(key) + "=" + Arrays.toString(value);
  }

  private static List<String> rest(IfileScanner scanner) throws IOException {
    List<String> records = new ArrayList<>();
    while (scanner.next()) {
      byte[] key =
          Arrays.copyOfRange(
              scanner.keyBuffer(), scanner.keyOffset(), scanner.keyOffset() + scanner.keyLength());
      byte[] value =
          Arrays.copyOfRange(
              scanner.valueBuffer(),
              scanner.valueOffset(),
              scanner.valueOffset() + scanner.valueLength());
      records.add(text(key, value));
    }
    return records;
  }

  private static List<String> expected(
      Partition partition, byte[] lower, byte[] upper, int... winners) {
    List<String> records = new ArrayList<>();
    for (Partition.Item item : partition.expected(winners)) {
      boolean above =
          lower == null || partition.compareKeys(item, new Partition.Item(lower, lower)) >= 0;
      boolean below =
          upper == null || partition.compareKeys(item, new Partition.Item(upper, upper)) < 0;
      if (above && below) {
        records.add(text(item.key(), item.value()));
      }
    }
    return records;
  }

  private IfileScanner open(Cluster cluster, Partition partition) {
    return IfileScanner.open(
        cluster.config(directory), Partition.JOB, Partition.NUMBER, partition.order(), "test");
  }

  @Test
  void scansRangesOfEveryEncoding(Seed seed) throws IOException {
    for (KeyEncoding encoding : KeyEncoding.values()) {
      checkRanges(seed.derive(encoding.name()), KeyOrder.normalized(encoding));
    }
    checkRanges(seed, KeyOrder.of(RandomPartition.DESCENDING));
  }

  private void checkRanges(Seed seed, KeyOrder order) throws IOException {
    RandomPartition drawn = new RandomPartition(seed.value(), order, CodecId.SNAPPY, 8, 5);
    Partition partition = drawn.partition();
    SplittableRandom random = seed.splittable();
    try (Cluster cluster = new Cluster(partition, 2);
        IfileScanner scanner = open(cluster, partition)) {
      scanner.scan(null, null, drawn.winners());
      assertThat(rest(scanner)).isEqualTo(expected(partition, null, null, drawn.winners()));
      for (int i = 0; i < 6; i++) {
        byte[] lower = Keys.random(order.encoding(), random, 100_000);
        byte[] upper = Keys.random(order.encoding(), random, 100_000);
        scanner.scan(lower, upper, drawn.winners());
        assertThat(rest(scanner)).isEqualTo(expected(partition, lower, upper, drawn.winners()));
        scanner.scan(lower, null, drawn.winners());
        assertThat(rest(scanner)).isEqualTo(expected(partition, lower, null, drawn.winners()));
        scanner.scan(null, upper, drawn.winners());
        assertThat(rest(scanner)).isEqualTo(expected(partition, null, upper, drawn.winners()));
      }
    }
  }

  @Test
  void withoutWinnersEveryBlockComesOnce() throws IOException {
    Partition partition = new Partition(KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      byte[] key = {(byte) (i % 5)};
      byte[] value = ByteBuffer.allocate(4).putInt(i).array();
      Partition.Block block =
          partition.append(i % 3, i % 2, 1 + i % 4, List.of(new Partition.Item(key, value)));
      partition.duplicate(block, 1 + (i + 1) % 4);
      all.add(text(key, value));
    }
    try (Cluster cluster = new Cluster(partition, 2);
        IfileScanner scanner = open(cluster, partition)) {
      scanner.scan(null, null);
      assertThat(rest(scanner)).containsExactlyInAnyOrderElementsOf(all);
      scanner.scan(new byte[] {2}, new byte[] {4});
      assertThat(rest(scanner)).hasSize(12).allMatch(record -> record.matches("\\[[23]\\]=.*"));
      assertThat(scanner.next()).isFalse();
    }
  }

  @Test
  void aNarrowRangeReadsLittle() throws IOException {
    Partition partition =
        new Partition(KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE)
            .withSortedBlockBytes(10_000);
    List<Partition.Item> items = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      byte[] key = String.format("%06d", i).getBytes(StandardCharsets.US_ASCII);
      items.add(new Partition.Item(key, new byte[100]));
    }
    partition.append(0, 0, 1, items);
    try (Cluster cluster = new Cluster(partition, 1);
        IfileScanner scanner = open(cluster, partition)) {
      scanner.scan(
          "005000".getBytes(StandardCharsets.US_ASCII),
          "005010".getBytes(StandardCharsets.US_ASCII));
      assertThat(rest(scanner)).hasSize(10);
      assertThat(scanner.statistics().bytesFetched()).isLessThan(40_000);
    }
  }

  @Test
  void aDamagedRangeIsReadAgain() throws IOException {
    Partition partition = new Partition(KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE);
    partition.append(0, 0, 1, List.of(new Partition.Item(new byte[3], new byte[500])));
    try (Cluster cluster = new Cluster(partition, 1);
        IfileScanner scanner = open(cluster, partition)) {
      cluster
          .serverOf(1)
          .setFault(
              (operation, chunk, count, payload) -> {
                if (count == 1 && payload.length == 48 + 507) {
                  payload[200] ^= 8;
                }
                return payload;
              });
      scanner.scan(null, null);
      assertThat(rest(scanner)).hasSize(1);
    }
  }
}
