package dev.sailfish.format.tail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sailfish.format.FormatException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * Flipped, truncated and extended bytes are always an error: never a wrong record, never another
 * kind of exception, never a hang. The seed is printed; repeat a run with {@code
 * -Dsailfish.seed=N}.
 */
class ChunkFuzzTest {
  private static final int ROUNDS = 20_000;

  private interface Reader {
    List<String> read(byte[] bytes) throws FormatException;
  }

  private final long seed = Long.getLong("sailfish.seed", System.nanoTime());

  @Test
  void shouldRefuseEveryDamagedStableChunk() {
    fuzz(SampleChunk.stable(), ChunkReader::readStable);
  }

  @Test
  void shouldRefuseEveryDamagedSortedChunk() throws FormatException {
    fuzz(SampleChunk.sorted(), ChunkReader::readSorted);
  }

  @Test
  void shouldRefuseEveryDamagedFileOfSeveralChunks() throws FormatException {
    fuzz(SampleChunk.shared(), ChunkReader::readSorted);
  }

  private void fuzz(byte[] good, Reader reader) {
    System.out.println("ChunkFuzzTest seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(120),
        () -> {
          List<String> expected = reader.read(good);
          for (int round = 0; round < ROUNDS; round++) {
            check(damage(good, random), good, expected, reader, round);
          }
        });
  }

  private static byte[] damage(byte[] good, SplittableRandom random) {
    byte[] bytes = good.clone();
    switch (random.nextInt(4)) {
      case 0 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      case 1 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
      case 2 -> {
        int end = bytes.length;
        bytes = Arrays.copyOf(bytes, end + 1 + random.nextInt(200));
        for (int i = end; i < bytes.length; i++) {
          bytes[i] = (byte) random.nextInt();
        }
      }
      default -> {
        int at = random.nextInt(bytes.length);
        for (int i = at; i < Math.min(bytes.length, at + 1 + random.nextInt(16)); i++) {
          bytes[i] = (byte) random.nextInt();
        }
      }
    }
    return bytes;
  }

  private void check(byte[] damaged, byte[] good, List<String> expected, Reader reader, int round) {
    if (Arrays.equals(damaged, good)) {
      return;
    }
    try {
      List<String> records = reader.read(damaged);
      // A stable chunk may end at any block boundary: what is there must be a true prefix.
      assertThat(records.size()).as("seed=%d round=%d", seed, round).isLessThan(expected.size());
      assertThat(records).isEqualTo(expected.subList(0, records.size()));
      assertThat(damaged.length).isLessThan(good.length);
    } catch (FormatException e) {
      assertThat(e).hasMessageContaining("=");
    } catch (RuntimeException e) {
      fail("seed=" + seed + " round=" + round + ": " + e, e);
    }
  }
}
