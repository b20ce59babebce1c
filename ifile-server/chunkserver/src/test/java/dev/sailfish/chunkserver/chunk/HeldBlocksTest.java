package dev.sailfish.chunkserver.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.Seeded;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

@Seeded
class HeldBlocksTest {
  @Test
  void shouldKnowJustWhatWasAdded(SplittableRandom random) {
    HeldBlocks held = new HeldBlocks();
    Set<List<Integer>> reference = new HashSet<>();
    int sequences = 1 + random.nextInt(300);
    for (int i = 0; i < 5000; i++) {
      int map = random.nextInt(3);
      int attempt = random.nextInt(2);
      int sequence = random.nextInt(sequences);
      List<Integer> block = List.of(map, attempt, sequence);
      assertThat(held.contains(map, attempt, sequence)).isEqualTo(reference.contains(block));
      if (random.nextInt(10) == 0) {
        assertThat(held.add(map, attempt, sequence, 1, 10)).isEqualTo(reference.add(block));
      }
    }
    assertThat(held.blocks()).isEqualTo(reference.size());
    assertThat(held.records()).isEqualTo(reference.size());
    assertThat(held.rawBytes()).isEqualTo(10L * reference.size());
    assertThat(held.entries())
        .isEqualTo(reference.stream().filter(block -> !reference.contains(before(block))).count());
  }

  private static List<Integer> before(List<Integer> block) {
    return List.of(block.get(0), block.get(1), block.get(2) - 1);
  }

  @Test
  void shouldTakeTheLargestNumbers() {
    HeldBlocks held = new HeldBlocks();
    int most = Integer.MAX_VALUE;
    assertThat(held.add(most, most, most, 1, 10)).isTrue();
    assertThat(held.add(most, most, most - 1, 1, 10)).isTrue();
    assertThat(held.add(most, most, most, 1, 10)).isFalse();
    assertThat(held.contains(most, most, most - 1)).isTrue();
    assertThat(held.contains(most, most, most - 2)).isFalse();
    assertThat(held.contains(most, 0, most)).isFalse();
  }
}
