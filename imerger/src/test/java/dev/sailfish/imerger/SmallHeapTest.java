package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.Seeded;
import dev.sailfish.testkit.TestBytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reader in a Java machine of its own with a heap of 64 MiB. */
@Seeded
class SmallHeapTest {
  @TempDir Path directory;

  /** Reads a partition and prints how many records it had. */
  static final class Reader {
    private Reader() {}

    /**
     * @param arguments port of the metaserver, directory, number of maps, ordering
     */
    public static void main(String[] arguments) throws IOException {
      int[] winners = new int[2 * Integer.parseInt(arguments[2])];
      for (int i = 0; i < winners.length; i += 2) {
        winners[i] = i / 2;
      }
      InetSocketAddress metaserver =
          new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0]));
      ImergerConfig config =
          new ImergerConfig(metaserver, 32 << 20, Path.of(arguments[1]), Duration.ofSeconds(60));
      KeyOrder order = order(arguments[3]);
      try (Imerger imerger =
          Imerger.open(config, Partition.JOB, Partition.NUMBER, order, "small heap")) {
        imerger.start(winners);
        while (imerger.next()) {
          if (imerger.keyLength() == 0) {
            throw new IOException("no key");
          }
        }
        System.out.println("records=" + imerger.statistics().records());
      }
    }
  }

  private static KeyOrder order(String name) {
    return name.equals("comparator")
        ? KeyOrder.of(RandomPartition.DESCENDING)
        : KeyOrder.normalized(KeyEncoding.RAW);
  }

  private String read(Partition partition, int maps, String order)
      throws IOException, InterruptedException {
    try (Cluster cluster = new Cluster(partition, 2)) {
      Process reader =
          new ProcessBuilder(
                  ChildJvm.command(
                      Reader.class,
                      List.of("-Xmx64m"),
                      String.valueOf(cluster.metaserver().address().getPort()),
                      directory.toString(),
                      String.valueOf(maps),
                      order))
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("output").toFile())
              .start();
      boolean ended = reader.waitFor(120, TimeUnit.SECONDS);
      if (!ended) {
        reader.destroyForcibly();
      }
      assertThat(ended).isTrue();
    }
    return Files.readString(directory.resolve("output"), StandardCharsets.UTF_8).strip();
  }

  private static Partition partition(
      String order, CodecId codec, SplittableRandom random, int maps, int recordsPerMap) {
    Partition partition = new Partition(order(order), codec).withSortedBlockBytes(64 << 10);
    for (int map = 0; map < maps; map++) {
      List<Partition.Item> items = new ArrayList<>();
      for (int i = 0; i < recordsPerMap; i++) {
        items.add(
            new Partition.Item(
                TestBytes.random(random, 10), TestBytes.compressible(random, 990, 0.5)));
      }
      partition.append(map, 0, 1 + map, items);
    }
    return partition;
  }

  @Test
  void manyRunsOfHalfAMebibyte(SplittableRandom random) throws Exception {
    check(partition("normalized", CodecId.NONE, random, 200, 512), "normalized");
    check(partition("comparator", CodecId.LZ4, random, 200, 512), "comparator");
  }

  private void check(Partition partition, String order) throws Exception {
    assertThat(read(partition, 200, order)).isEqualTo("records=" + 200 * 512);
  }

  @Test
  void recordsOfTwentyMegabytes(SplittableRandom random) throws Exception {
    Partition partition =
        new Partition(order("normalized"), CodecId.NONE).withSortedBlockBytes(64 << 10);
    for (int map = 0; map < 3; map++) {
      byte[] value = new byte[20_000_000];
      partition.append(
          map, 0, 1 + map, List.of(new Partition.Item(TestBytes.random(random, 10), value)));
    }
    assertThat(read(partition, 3, "normalized")).isEqualTo("records=3");
  }
}
