package dev.sailfish.iappender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyComparator;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Seeded
@Timeout(120)
class CombinerTest {
  private static final KeyOrder TEXT = KeyOrder.normalized(KeyEncoding.TEXT);
  private static final KeyComparator DESCENDING =
      (left, leftOffset, leftLength, right, rightOffset, rightLength) ->
          Arrays.compareUnsigned(
              right,
              rightOffset,
              rightOffset + rightLength,
              left,
              leftOffset,
              leftOffset + leftLength);

  /** Adds up the counts of equal words, through the stream or through append. */
  private record Sum(boolean stream) implements BlockCombiner {
    @Override
    public void combine(SortedRecords sorted, CombinedOutput combined) throws IOException {
      byte[] word = null;
      long sum = 0;
      while (sorted.next()) {
        boolean same =
            word != null
                && Arrays.equals(
                    word,
                    0,
                    word.length,
                    sorted.keyBuffer(),
                    sorted.keyOffset(),
                    sorted.keyOffset() + sorted.keyLength());
        if (!same) {
          write(word, sum, combined);
          word =
              Arrays.copyOfRange(
                  sorted.keyBuffer(), sorted.keyOffset(), sorted.keyOffset() + sorted.keyLength());
          sum = 0;
        }
        sum += ByteBuffer.wrap(sorted.valueBuffer()).getLong(sorted.valueOffset());
      }
      write(word, sum, combined);
    }

    private void write(byte[] word, long sum, CombinedOutput combined) throws IOException {
      if (word == null) {
        return;
      }
      if (stream) {
        combined.startRecord();
        combined.output().write(word);
        combined.endKey();
        combined.output().writeLong(sum);
        combined.endRecord();
      } else {
        byte[] value = ByteBuffer.allocate(8).putLong(sum).array();
        combined.append(word, 0, word.length, value, 0, 8);
      }
    }
  }

  private static byte[] text(String word) {
    return Keys.serialized(KeyEncoding.TEXT, word.getBytes(StandardCharsets.UTF_8));
  }

  private static Map<String, Long> sums(FakeCluster cluster, KeyEncoding encoding)
      throws IOException {
    Map<String, Long> sums = new TreeMap<>();
    for (List<FakeCluster.Stored> blocks : Emitted.blocks(cluster).values()) {
      for (FakeCluster.Stored block : blocks) {
        for (Emitted.Pair pair : Emitted.records(block, encoding)) {
          String word = new String(pair.key(), StandardCharsets.UTF_8);
          sums.merge(word, ByteBuffer.wrap(pair.value()).getLong(), Long::sum);
        }
      }
    }
    return sums;
  }

  private static void countWords(
      SplittableRandom random, KeyOrder order, int words, Sum combiner, boolean mustStaySmall)
      throws IOException {
    IfileSpec spec = new IfileSpec("job_1", 4, order, CodecId.NONE);
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 8 << 20), spec, 0, 0, combiner)) {
      Map<String, Long> expected = new TreeMap<>();
      byte[] one = ByteBuffer.allocate(8).putLong(1).array();
      int records = 600_000;
      for (int i = 0; i < records; i++) {
        int word = random.nextInt(words);
        byte[] key = text("word-" + word);
        appender.append(word % 4, key, 0, key.length, one, 0, 8);
        expected.merge(new String(key, StandardCharsets.UTF_8), 1L, Long::sum);
      }
      long committed = appender.commit();
      assertThat(sums(cluster, order.encoding())).isEqualTo(expected);
      assertThat(appender.records()).isEqualTo(records);
      assertThat(appender.combineInput()).isGreaterThanOrEqualTo(records);
      assertThat(committed).isEqualTo(records - appender.combineInput() + appender.combineOutput());
      if (mustStaySmall) {
        assertThat(committed).as("one block a partition").isEqualTo(words);
        assertThat(appender.blocks()).isEqualTo(4);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void addsUpFewWordsInMemory(boolean stream, SplittableRandom random) throws IOException {
    countWords(random, TEXT, 1000, new Sum(stream), true);
    countWords(random, KeyOrder.of(DESCENDING), 1000, new Sum(stream), true);
  }

  @Test
  void manyWordsGoOutInSeveralBlocks(SplittableRandom random) throws IOException {
    countWords(random, TEXT, 300_000, new Sum(true), false);
    countWords(random, KeyOrder.of(DESCENDING), 300_000, new Sum(true), false);
  }

  @Test
  void blocksOfAComparatorAreSortedAfterCombining(SplittableRandom random) throws IOException {
    IfileSpec spec = new IfileSpec("job_1", 1, KeyOrder.of(DESCENDING), CodecId.LZ4);
    // Turns every key around, so that what it writes is not in order.
    BlockCombiner reversing =
        (sorted, combined) -> {
          while (sorted.next()) {
            ByteArrayOutputStream key = new ByteArrayOutputStream();
            for (int i = sorted.keyLength() - 1; i >= 0; i--) {
              key.write(sorted.keyBuffer()[sorted.keyOffset() + i]);
            }
            combined.append(key.toByteArray(), 0, key.size(), new byte[0], 0, 0);
          }
        };
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 1 << 20), spec, 0, 0, reversing)) {
      for (int i = 0; i < 30_000; i++) {
        byte[] key = Keys.random(random, KeyEncoding.RAW, 12);
        appender.append(0, key, 0, key.length, new byte[9], 0, 9);
      }
      appender.commit();
      List<FakeCluster.Stored> blocks = Emitted.blocks(cluster).get(0);
      assertThat(blocks).hasSizeGreaterThan(1);
      for (FakeCluster.Stored block : blocks) {
        assertThat(Emitted.records(block, KeyEncoding.RAW))
            .extracting(Emitted.Pair::key)
            .isSortedAccordingTo((left, right) -> Arrays.compareUnsigned(right, left));
      }
    }
  }

  @Test
  void resultsLargerThanTheInputAreSentAndMemoryStaysBounded(SplittableRandom random)
      throws IOException {
    IfileSpec spec = new IfileSpec("job_1", 3, TEXT, CodecId.NONE);
    BlockCombiner growing =
        (sorted, combined) -> {
          while (sorted.next()) {
            combined.startRecord();
            combined.output().write(sorted.keyBuffer(), sorted.keyOffset(), sorted.keyLength());
            combined.endKey();
            combined.output().write(new byte[sorted.valueLength() > 100 ? 200_000 : 500]);
            combined.endRecord();
          }
        };
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 1 << 20), spec, 0, 0, growing)) {
      int records = 20_000;
      for (int i = 0; i < records; i++) {
        byte[] key = Keys.random(random, KeyEncoding.TEXT, 12);
        int length = i % 1000 == 0 ? 300 : 50;
        appender.append(i % 3, key, 0, key.length, new byte[length], 0, length);
      }
      assertThat(appender.commit()).isEqualTo(records);
      for (List<FakeCluster.Stored> blocks : Emitted.blocks(cluster).values()) {
        assertThat(blocks)
            .allSatisfy(block -> assertThat(block.header().rawLength()).isLessThan(220_000));
      }
    }
  }

  @Test
  void recordsOfEqualKeysComeInTheOrderOfEmission(SplittableRandom random) throws IOException {
    IfileSpec spec = new IfileSpec("job_1", 1, TEXT, CodecId.NONE);
    Map<String, Long> last = new TreeMap<>();
    BlockCombiner checking =
        (sorted, combined) -> {
          String before = "";
          while (sorted.next()) {
            String key =
                new String(
                    sorted.keyBuffer(),
                    sorted.keyOffset() + 1,
                    sorted.keyLength() - 1,
                    StandardCharsets.UTF_8);
            assertThat(key).isGreaterThanOrEqualTo(before);
            before = key;
            long number = ByteBuffer.wrap(sorted.valueBuffer()).getLong(sorted.valueOffset());
            Long previous = last.put(key, number);
            assertThat(previous == null || previous < number).isTrue();
          }
        };
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 1 << 20), spec, 0, 0, checking)) {
      for (long i = 0; i < 50_000; i++) {
        byte[] key = text(Integer.toString(random.nextInt(2000)));
        byte[] value = ByteBuffer.allocate(8).putLong(i).array();
        appender.append(0, key, 0, key.length, value, 0, 8);
      }
      assertThat(appender.commit()).isZero();
      assertThat(cluster.manifest().getPartitionsCount()).isZero();
    }
  }

  @Test
  void aCombinerThatFailsFailsTheAttempt() throws IOException {
    IfileSpec spec = new IfileSpec("job_1", 1, TEXT, CodecId.NONE);
    BlockCombiner failing =
        (sorted, combined) -> {
          combined.startRecord();
          throw new IOException("user code failed");
        };
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 1 << 20), spec, 0, 0, failing)) {
      byte[] key = text("a");
      appender.append(0, key, 0, key.length, key, 0, key.length);
      assertThatThrownBy(appender::commit).hasMessageContaining("user code failed");
      assertThatThrownBy(appender::commit).hasMessageContaining("records are missing");
    }
  }

  @Test
  void aResultThatCannotBeSerializedIsLeftOut() throws IOException {
    IfileSpec spec = new IfileSpec("job_1", 1, TEXT, CodecId.NONE);
    BlockCombiner failing =
        (sorted, combined) -> {
          combined.startRecord();
          combined.output().write(text("half a key"), 0, 5);
          combined.abandonRecord();
          new Sum(true).combine(sorted, combined);
        };
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 1 << 20), spec, 0, 0, failing)) {
      byte[] key = text("a");
      byte[] one = ByteBuffer.allocate(8).putLong(1).array();
      appender.append(0, key, 0, key.length, one, 0, 8);
      appender.append(0, key, 0, key.length, one, 0, 8);
      appender.commit();
      assertThat(sums(cluster, KeyEncoding.TEXT))
          .containsExactly(Map.entry(new String(key, StandardCharsets.UTF_8), 2L));
    }
  }

  @Test
  void aFailureThatACombinerSwallowsFailsTheAttempt() throws IOException {
    IfileSpec spec = new IfileSpec("job_1", 1, TEXT, CodecId.NONE);
    byte[] large = new byte[300_000];
    byte[] key = text("a");
    BlockCombiner swallowing =
        (sorted, combined) -> {
          for (int i = 0; i < 20; i++) {
            try {
              combined.append(key, 0, key.length, large, 0, large.length);
            } catch (IOException e) {
              assertThat(e).hasMessageContaining("refuses it for good");
            }
          }
        };
    try (FakeCluster cluster =
            new FakeCluster(
                1, 128 << 20, (server, block) -> FakeCluster.Fault.refuse(Status.BAD_REQUEST));
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 1 << 20), spec, 0, 0, swallowing)) {
      appender.append(0, key, 0, key.length, key, 0, key.length);
      assertThatThrownBy(appender::commit)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("a result of the combiner was not appended")
          .hasMessageContaining("job=job_1 map=0 attempt=0")
          .hasRootCauseMessage("scripted refusal [BAD_REQUEST]");
      assertThatThrownBy(appender::commit).hasMessageContaining("records are missing");
    }
  }

  @Test
  void aCombinerMayNotAppendPastItsOutput() throws IOException {
    IfileSpec spec = new IfileSpec("job_1", 1, TEXT, CodecId.NONE);
    Iappender[] holder = new Iappender[1];
    CombinedOutput[] kept = new CombinedOutput[1];
    BlockCombiner wrong =
        (sorted, combined) -> {
          kept[0] = combined;
          holder[0].startRecord(0);
        };
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender = Iappender.open(Configs.memory(cluster, 1 << 20), spec, 0, 0, wrong)) {
      holder[0] = appender;
      byte[] key = text("a");
      appender.append(0, key, 0, key.length, key, 0, key.length);
      assertThatThrownBy(appender::commit)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("CombinedOutput");
      assertThatThrownBy(() -> kept[0].startRecord()).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void combiningGivesTheSameBlocksEveryTime(Seed seed) throws IOException {
    assertThat(combinedHeaders(seed)).isEqualTo(combinedHeaders(seed));
  }

  private static List<String> combinedHeaders(Seed seed) throws IOException {
    SplittableRandom random = seed.splittable();
    IfileSpec spec = new IfileSpec("job_1", 200, TEXT, CodecId.NONE);
    try (FakeCluster cluster = FakeCluster.healthy();
        Iappender appender =
            Iappender.open(Configs.memory(cluster, 1 << 20), spec, 0, 0, new Sum(true))) {
      byte[] one = ByteBuffer.allocate(8).putLong(1).array();
      for (int i = 0; i < 100_000; i++) {
        int word = random.nextInt(20_000);
        byte[] key = text("word-" + word);
        appender.append(word % 200, key, 0, key.length, one, 0, 8);
      }
      appender.commit();
      return Emitted.blocks(cluster).values().stream()
          .flatMap(List::stream)
          .map(block -> block.header().toString())
          .toList();
    }
  }
}
