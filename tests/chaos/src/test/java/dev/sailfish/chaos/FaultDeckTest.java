package dev.sailfish.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each kind is dealt as often as any other, and what does not go together meets no work. */
@Seeded
class FaultDeckTest {
  private static final EnumSet<TestFault> ALL = EnumSet.allOf(TestFault.class);

  @Test
  void sameSeedShouldDealTheSame(Seed seed) {
    List<Fault<TestTarget>> once = new FaultDeck<>(ALL, seed.splittable()).deal(3);
    assertThat(new FaultDeck<>(ALL, seed.splittable()).deal(3)).isEqualTo(once);
  }

  @Test
  void shouldDealEachKindEquallyOftenAtItsMoments(Seed seed) {
    FaultDeck<TestTarget> deck = new FaultDeck<>(ALL, seed.splittable());
    List<Fault<TestTarget>> dealt =
        Stream.generate(() -> deck.deal(1)).limit(10L * ALL.size()).flatMap(List::stream).toList();
    Map<FaultKind<TestTarget>, Long> counts =
        dealt.stream()
            .map(Fault::kind)
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    assertThat(counts.keySet()).isEqualTo(ALL);
    assertThat(counts.values()).containsOnly(10L);
    assertThat(dealt).allMatch(fault -> fault.kind().moments().contains(fault.moment()));
  }

  @Test
  void noWorkShouldMeetWhatDoesNotGoTogether(Seed seed) {
    FaultDeck<TestTarget> deck = new FaultDeck<>(ALL, seed.splittable());
    for (int work = 0; work < 50; work++) {
      assertThat(deck.deal(3))
          .filteredOn(fault -> fault.kind() == TestFault.ONCE)
          .hasSizeLessThan(2);
    }
  }

  @Test
  void kindsThatNeverGoTogetherShouldBeRefused(Seed seed) {
    FaultDeck<TestTarget> deck = new FaultDeck<>(EnumSet.of(TestFault.ONCE), seed.splittable());
    assertThatThrownBy(() -> deck.deal(2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("goes with [ONCE]");
  }
}
