package dev.sailfish.benchmarks.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class WordLengthKeyTest {
  private static WordLengthKey key(String word, int length) {
    WordLengthKey key = new WordLengthKey();
    key.set(word, length);
    return key;
  }

  private static WordLengthKey randomKey(SplittableRandom random) {
    StringBuilder word = new StringBuilder();
    for (int i = random.nextInt(4); i >= 0; i--) {
      word.append((char) ('a' + random.nextInt(3))).append(random.nextInt(5) == 0 ? "é" : "");
    }
    return key(word.toString(), random.nextInt(-3, 3));
  }

  private static byte[] bytes(WordLengthKey key) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    key.write(new DataOutputStream(out));
    return out.toByteArray();
  }

  @Test
  void comparesSerializedKeysLikeObjects(SplittableRandom random) throws IOException {
    WordLengthKey.SortOrder order = new WordLengthKey.SortOrder();
    WordLengthKey.Grouping grouping = new WordLengthKey.Grouping();
    for (int i = 0; i < 2_000; i++) {
      WordLengthKey left = randomKey(random);
      WordLengthKey right = randomKey(random);
      byte[] l = bytes(left);
      byte[] r = bytes(right);
      assertThat(Integer.signum(order.compare(l, 0, l.length, r, 0, r.length)))
          .isEqualTo(Integer.signum(left.compareTo(right)));
      assertThat(Integer.signum(grouping.compare(l, 0, l.length, r, 0, r.length)))
          .isEqualTo(Integer.signum(grouping.compare(left, right)));
    }
  }

  @Test
  void readsBackWhatWasWritten(SplittableRandom random) throws IOException {
    WordLengthKey key = randomKey(random);
    WordLengthKey read = new WordLengthKey();
    read.readFields(new DataInputStream(new ByteArrayInputStream(bytes(key))));
    assertThat(read).isEqualTo(key).hasSameHashCodeAs(key);
    assertThat(read.lineLength()).isEqualTo(key.lineLength());
  }

  @Test
  void partitionsByTheWordAlone() {
    WordLengthKey.ByWord partitioner = new WordLengthKey.ByWord();
    assertThat(partitioner.getPartition(key("word", 1), null, 7))
        .isEqualTo(partitioner.getPartition(key("word", 99), null, 7))
        .isBetween(0, 6);
  }
}
