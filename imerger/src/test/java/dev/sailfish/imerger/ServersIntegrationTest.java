package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What iappenders wrote through real servers comes back. */
@Seeded
class ServersIntegrationTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int PARTITIONS = 3;

  @TempDir Path directory;

  private LocalServers servers;

  @BeforeEach
  void start() throws IOException {
    String journal = directory.resolve("journal").toString();
    servers = LocalServers.secured(directory, "journal.dir", journal);
    servers.startChunkserver();
    servers.startChunkserver();
  }

  @AfterEach
  void stop() throws IOException {
    servers.close();
  }

  /** One record and where it goes. */
  private record Emitted(int partition, Partition.Item item) {}

  private static List<Emitted> emit(SplittableRandom random, KeyEncoding encoding) {
    List<Emitted> records = new ArrayList<>();
    int count = random.nextInt(3000);
    for (int i = 0; i < count; i++) {
      byte[] key = Keys.random(encoding, random, 1000);
      byte[] value = TestBytes.compressible(random, TestBytes.skewedLength(random, 2000), 0.5);
      records.add(new Emitted(random.nextInt(PARTITIONS), new Partition.Item(key, value)));
    }
    return records;
  }

  private Iappender open(IfileSpec spec, int map, int attempt) throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            List.of(servers.address()),
            "127.0.0.1",
            "test",
            8 << 20,
            16 << 10,
            0,
            DEADLINE,
            1 << 20,
            servers.task(spec.job()));
    return Iappender.open(config, spec, map, attempt);
  }

  private static void append(Iappender appender, List<Emitted> records) throws IOException {
    for (Emitted record : records) {
      byte[] key = record.item.key();
      byte[] value = record.item.value();
      appender.append(record.partition, key, 0, key.length, value, 0, value.length);
    }
    appender.commit();
  }

  @Test
  void deliversWhatWinnersAppended(Seed seed) throws IOException {
    int job = 0;
    for (KeyOrder order :
        List.of(
            KeyOrder.normalized(KeyEncoding.TEXT),
            KeyOrder.normalized(KeyEncoding.VARIABLE_INTEGER),
            KeyOrder.of(RandomPartition.DESCENDING))) {
      for (CodecId codec : List.of(CodecId.NONE, CodecId.LZ4)) {
        run(seed.derive("job" + job), new IfileSpec("job_7_" + job++, PARTITIONS, order, codec));
      }
    }
  }

  private void run(Seed seed, IfileSpec spec) throws IOException {
    SplittableRandom random = seed.splittable();
    int[] winners = new int[12];
    List<List<Emitted>> won = new ArrayList<>();
    List<Imerger> early = new ArrayList<>();
    ImergerConfig config =
        new ImergerConfig(
            List.of(servers.address()),
            random.nextBoolean() ? 1 << 20 : 32 << 20,
            directory,
            DEADLINE,
            servers.task(spec.job()));
    for (int p = 0; p < PARTITIONS; p++) {
      early.add(Imerger.open(config, spec.job(), p, spec.order(), "reduce " + p));
    }
    for (int map = 0; map < 6; map++) {
      winners[2 * map] = map;
      winners[2 * map + 1] = random.nextInt(2);
      List<List<Emitted>> made =
          List.of(emit(random, spec.order().encoding()), emit(random, spec.order().encoding()));
      // As two speculative attempts do, which make other records so that none can stand for
      // another.
      try (Iappender first = open(spec, map, 0);
          Iappender second = open(spec, map, 1)) {
        append(first, made.get(0));
        append(second, made.get(1));
      }
      won.add(made.get(winners[2 * map + 1]));
      early.get(map % PARTITIONS).prefetch(Arrays.copyOf(winners, 2 * map + 2));
    }
    for (int p = 0; p < PARTITIONS; p++) {
      try (Imerger imerger = early.get(p)) {
        imerger.start(winners);
        check(imerger, expected(spec, won, p));
      }
      readRanges(config, spec, p, winners, expected(spec, won, p));
    }
  }

  private static void readRanges(
      ImergerConfig config, IfileSpec spec, int p, int[] winners, List<Partition.Item> expected)
      throws IOException {
    int size = expected.size();
    byte[] middle =
        size == 0 ? new byte[1] : ChunkFile.normalized(spec.order(), expected.get(size / 2).key());
    Partition order = new Partition(spec.order(), spec.codec());
    int begin = size / 2;
    while (begin > 0 && order.compareKeys(expected.get(begin - 1), expected.get(size / 2)) == 0) {
      begin--;
    }
    try (Imerger low = Imerger.open(config, spec.job(), p, spec.order(), "test");
        Imerger high = Imerger.open(config, spec.job(), p, spec.order(), "test")) {
      low.start(winners, new KeyRange(null, middle));
      check(low, expected.subList(0, begin));
      high.start(winners, new KeyRange(middle, null));
      check(high, expected.subList(begin, size));
    }
    try (Imerger all = Imerger.open(config, spec.job(), p, spec.order(), "test")) {
      all.startAll(null);
      int count = 0;
      while (all.next()) {
        count++;
      }
      assertThat(count).as("both attempts of a map are read").isGreaterThanOrEqualTo(size);
    }
  }

  private static List<Partition.Item> expected(
      IfileSpec spec, List<List<Emitted>> won, int partition) {
    List<Partition.Item> items = new ArrayList<>();
    for (List<Emitted> records : won) {
      for (Emitted record : records) {
        if (record.partition == partition) {
          items.add(record.item);
        }
      }
    }
    Partition order = new Partition(spec.order(), spec.codec());
    items.sort(order::compareKeys);
    return items;
  }

  private static void check(Imerger imerger, List<Partition.Item> expected) throws IOException {
    Partition.assertNext(imerger, expected);
    assertThat(imerger.next()).isFalse();
  }
}
