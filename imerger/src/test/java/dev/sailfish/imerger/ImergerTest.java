package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Seeded
class ImergerTest {
  @TempDir Path directory;

  private static Partition.Item item(String key, String value) {
    return new Partition.Item(
        key.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8));
  }

  private static Partition raw() {
    return new Partition(KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE);
  }

  @Test
  void deliversEveryEncodingAndCodec(Seed seed) throws IOException {
    for (KeyEncoding encoding : KeyEncoding.values()) {
      for (CodecId codec : CodecId.values()) {
        check(seed.derive(encoding + "/" + codec), KeyOrder.normalized(encoding), codec);
      }
    }
  }

  @Test
  void deliversRunsOfAComparator(Seed seed) throws IOException {
    for (CodecId codec : CodecId.values()) {
      check(seed.derive(codec.label()), KeyOrder.of(RandomPartition.DESCENDING), codec);
    }
  }

  private void check(Seed seed, KeyOrder order, CodecId codec) throws IOException {
    SplittableRandom random = seed.splittable();
    RandomPartition drawn =
        new RandomPartition(
            seed.value(), order, codec, random.nextInt(1, 12), random.nextInt(1, 9));
    try (Cluster cluster = new Cluster(drawn.partition(), random.nextInt(1, 4))) {
      MergeStatistics statistics = cluster.checkMerge(cluster.config(directory), drawn.winners());
      assertThat(statistics.spilledRuns()).isZero();
      assertThat(statistics.rereads()).isZero();
    }
  }

  @Test
  void anEmptyPartitionHasNoRecords() throws IOException {
    Partition partition = raw();
    partition.appendNothing(0, 0);
    partition.appendNothing(1, 2);
    try (Cluster cluster = new Cluster(partition, 1)) {
      MergeStatistics statistics = cluster.checkMerge(cluster.config(directory), 0, 0, 1, 2);
      assertThat(statistics.chunks()).isZero();
      assertThat(cluster.checkMerge(cluster.config(directory)).records()).isZero();
    }
  }

  @Test
  void chunksOfLosersAreNotRead() throws IOException {
    Partition partition = raw();
    partition.append(0, 0, 1, List.of(item("a", "loser")));
    partition.append(0, 1, 2, List.of(item("a", "winner")));
    try (Cluster cluster = new Cluster(partition, 2)) {
      MergeStatistics statistics = cluster.checkMerge(cluster.config(directory), 0, 1);
      assertThat(statistics.chunks()).isEqualTo(1);
      assertThat(cluster.serverOf(1).awaits()).isZero();
      assertThat(cluster.serverOf(1).reads()).isZero();
      assertThat(statistics.reads()).isEqualTo(1);
    }
  }

  @Test
  void equalKeysComeInTheOrderOfMapAndEmission(Seed seed) throws IOException {
    for (KeyOrder order :
        List.of(KeyOrder.normalized(KeyEncoding.RAW), KeyOrder.of(RandomPartition.DESCENDING))) {
      SplittableRandom random = seed.splittable();
      Partition partition = new Partition(order, CodecId.LZ4).withRunsPerChunk(3);
      int[] winners = new int[20];
      for (int map = 9; map >= 0; map--) {
        winners[2 * map] = map;
        for (int block = 0; block < 5; block++) {
          partition.append(map, 0, 1 + random.nextInt(4), hotItems(map + "/" + block));
        }
      }
      try (Cluster cluster = new Cluster(partition, 2)) {
        cluster.checkMerge(cluster.config(directory), winners);
      }
    }
  }

  private static List<Partition.Item> hotItems(String emitter) {
    List<Partition.Item> items = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      items.add(item("the one hot key", emitter + "/" + i));
    }
    return items;
  }

  @Test
  void theStreamDoesNotDependOnChunksAndBlocks(Seed seed) throws IOException {
    List<List<Partition.Item>> emitted = new ArrayList<>();
    SplittableRandom records = seed.splittable();
    for (int map = 0; map < 6; map++) {
      List<Partition.Item> items = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        items.add(item("key" + records.nextInt(20), map + "/" + i));
      }
      emitted.add(items);
    }
    byte[] first = null;
    for (int variant = 0; variant < 8; variant++) {
      SplittableRandom random = seed.derive("variant " + variant).splittable();
      Partition partition =
          raw().withRunsPerChunk(1 + variant % 3).withSortedBlockBytes(random.nextInt(1, 2000));
      for (int map = 0; map < 6; map++) {
        List<Partition.Item> items = emitted.get(map);
        for (int from = 0; from < items.size(); ) {
          int end = Math.min(items.size(), from + random.nextInt(1, 100));
          partition.append(map, variant, 1 + random.nextInt(1 + variant), items.subList(from, end));
          from = end;
        }
      }
      byte[] stream = stream(partition, variant);
      first = first == null ? stream : first;
      assertThat(stream).as("variant %d", variant).isEqualTo(first);
    }
  }

  private byte[] stream(Partition partition, int attempt) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int[] winners = {5, attempt, 0, attempt, 1, attempt, 4, attempt, 2, attempt, 3, attempt};
    try (Cluster cluster = new Cluster(partition, 2);
        Imerger imerger = cluster.open(cluster.config(directory))) {
      imerger.start(winners);
      while (imerger.next()) {
        out.write(imerger.keyBuffer(), imerger.keyOffset(), imerger.keyLength());
        out.write('=');
        out.write(imerger.valueBuffer(), imerger.valueOffset(), imerger.valueLength());
        out.write('\n');
      }
    }
    return out.toByteArray();
  }

  @Test
  void aManifestThatPromisesOtherCountsIsAnError() throws IOException {
    Partition partition = raw();
    partition.append(0, 0, 1, List.of(item("a", "1"), item("b", "2")));
    partition.append(7, 0, 1, List.of(item("c", "3")));
    partition.promise(7, 0, 5);
    try (Cluster cluster = new Cluster(partition, 1);
        Imerger imerger = cluster.open(cluster.config(directory))) {
      assertThatThrownBy(() -> imerger.start(new int[] {0, 0, 7, 0}))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(LostBlocksException.class)
          .hasMessageContaining("map=7")
          .hasMessageContaining("manifest says 5")
          .hasMessageContaining("hold 1");
    }
  }

  @Test
  void recordsThatAreNotThoseAppendedAreAnErrorWithBothFigures() throws IOException {
    Partition partition = raw();
    partition.append(0, 0, 1, List.of(item("a", "1"), item("b", "2")));
    partition.append(7, 0, 1, List.of(item("c", "3")));
    partition.promiseOtherRecords(7, 0);
    try (Cluster cluster = new Cluster(partition, 1);
        Imerger imerger = cluster.open(cluster.config(directory))) {
      imerger.start(new int[] {0, 0, 7, 0});
      for (int i = 0; i < 3; i++) {
        assertThat(imerger.next()).isTrue();
      }
      assertThatThrownBy(imerger::next)
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(LostBlocksException.class)
          .hasMessageContaining("are not those that were appended")
          .hasMessageContaining("delivered records=3 bytes=6 checksum=")
          .hasMessageContaining("in the manifests of the winners records=3 bytes=6 checksum=");
    }
  }

  @Test
  void aReaderWithAnotherOrderingIsRefused() throws IOException {
    Partition partition = raw();
    partition.append(0, 0, 1, List.of(item("a", "1")));
    try (Cluster cluster = new Cluster(partition, 1);
        Imerger imerger =
            Imerger.open(
                cluster.config(directory),
                Partition.JOB,
                Partition.NUMBER,
                KeyOrder.of(RandomPartition.DESCENDING),
                "test")) {
      assertThatThrownBy(() -> imerger.start(new int[] {0, 0}))
          .hasMessageContaining("ordering=1")
          .hasMessageContaining("COMPARATOR");
    }
  }

  @Test
  void anUnknownJobIsRefusedAtOnce() throws IOException {
    try (Cluster cluster = new Cluster(raw(), 1);
        Imerger imerger =
            Imerger.open(
                cluster.config(directory),
                "job_9_9",
                0,
                KeyOrder.normalized(KeyEncoding.RAW),
                "test")) {
      assertThatThrownBy(() -> imerger.start(new int[] {0, 0})).hasMessageContaining("JOB_UNKNOWN");
    }
  }

  @Test
  void aMetaserverThatDoesNotAnswerIsNamed() throws IOException {
    try (Cluster cluster = new Cluster(raw(), 1)) {
      InetSocketAddress nobody = cluster.metaserver().address();
      cluster.metaserver().close();
      ImergerConfig config = new ImergerConfig(nobody, 32 << 20, directory, Duration.ofMillis(300));
      try (Imerger imerger = cluster.open(config)) {
        assertThatThrownBy(() -> imerger.start(new int[] {0, 0}))
            .hasMessageContaining(String.valueOf(nobody.getPort()))
            .hasMessageContaining("300 ms");
      }
    }
  }

  @Test
  void aMetaserverThatRestartsIsAskedAgain() throws IOException {
    Partition partition = raw();
    partition.append(0, 0, 1, List.of(item("a", "1")));
    try (Cluster cluster = new Cluster(partition, 1)) {
      cluster.metaserver().cutNext(3);
      cluster.checkMerge(cluster.config(directory), 0, 0);
      assertThat(cluster.metaserver().plans()).isEqualTo(1);
    }
  }
}
