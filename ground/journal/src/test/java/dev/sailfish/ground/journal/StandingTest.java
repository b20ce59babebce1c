package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Who asks for votes when the leader's process has ended. */
@Seeded
class StandingTest {
  private static Standing at(long term, long index) {
    return new Standing(true, true, term, index);
  }

  @Test
  void theLongestLogIsNext() {
    assertThat(at(3, 20).isNext("b", Map.of("a", at(3, 19)), 3)).isTrue();
    assertThat(at(3, 19).isNext("a", Map.of("b", at(3, 20)), 3)).isFalse();
    assertThat(at(4, 5).isNext("b", Map.of("a", at(3, 20)), 3)).as("term").isTrue();
  }

  @Test
  void amongEqualsTheFirstIdIsNext() {
    assertThat(at(3, 20).isNext("a", Map.of("b", at(3, 20)), 3)).isTrue();
    assertThat(at(3, 20).isNext("b", Map.of("a", at(3, 20)), 3)).isFalse();
  }

  @Test
  void whoHasMuchToApplyLeavesItToItsEqualAlone() {
    Standing behind = new Standing(true, false, 3, 20);
    assertThat(behind.isNext("a", Map.of("b", at(3, 20)), 3)).isFalse();
    assertThat(at(3, 20).isNext("b", Map.of("a", behind), 3)).isTrue();
    assertThat(behind.isNext("a", Map.of("b", at(3, 19)), 3))
        .as("nobody else gets the vote of one that knows more")
        .isTrue();
    assertThat(at(3, 19).isNext("b", Map.of("a", behind), 3)).isFalse();
  }

  @Test
  void mostMustMissTheLeader() {
    Standing hears = new Standing(false, true, 3, 1);
    assertThat(at(3, 20).isNext("a", Map.of("b", hears), 3)).isFalse();
    assertThat(at(3, 20).isNext("a", Map.of(), 3)).as("the other is gone, too").isFalse();
    assertThat(at(3, 20).isNext("a", Map.of("b", at(3, 1), "c", hears), 5)).isFalse();
    assertThat(at(3, 20).isNext("a", Map.of("b", at(3, 1), "c", at(3, 2)), 5)).isTrue();
  }

  /** All know the same: one of them asks, and only one. */
  @Test
  void oneIsNext(Seed seed) {
    Random random = seed.random();
    for (int i = 0; i < 10_000; i++) {
      Map<String, Standing> all = new HashMap<>();
      for (String id : List.of("a", "b", "c", "d")) {
        all.put(
            id, new Standing(true, random.nextInt(4) > 0, random.nextInt(2), random.nextInt(3)));
      }
      List<String> next = new ArrayList<>();
      all.forEach(
          (id, own) -> {
            Map<String, Standing> others = new HashMap<>(all);
            others.remove(id);
            if (own.isNext(id, others, 5)) {
              next.add(id);
            }
          });
      assertThat(next).as("%s", all).hasSize(1);
    }
  }

  @Test
  void goesOverTheWire() {
    Standing standing = new Standing(true, false, 7, 1L << 40);
    assertThat(Standing.decode(standing.encode())).isEqualTo(standing);
    assertThatThrownBy(() -> Standing.decode(new byte[3]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("length=3 not 17");
  }
}
