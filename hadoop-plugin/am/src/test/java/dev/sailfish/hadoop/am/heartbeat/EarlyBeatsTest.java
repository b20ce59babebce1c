package dev.sailfish.hadoop.am.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EarlyBeatsTest {
  private static final int LIMIT = 10;

  private final EarlyBeats beats = new EarlyBeats(LIMIT);
  private long now = 1000;

  /** Makes one after another until none is due; returns how long each was waited for. */
  private List<Long> beat(boolean more) {
    List<Long> waits = new ArrayList<>();
    for (long wait = beats.waitMs(now); wait >= 0; wait = beats.waitMs(now)) {
      now += wait;
      beats.made(now);
      beats.answered(false, more);
      waits.add(wait);
    }
    return waits;
  }

  @Test
  void noneIsDueBeforeSomethingIsAskedFor() {
    assertThat(beats.waitMs(now)).isNegative();
  }

  @Test
  void pausesGrowWhileContainersAreOutstanding() {
    beats.asked(now);
    assertThat(beat(true)).containsExactly(30L, 100L, 150L, 225L, 337L, 500L);
  }

  @Test
  void theyEndWhenAllIsGivenButNotBeforeTheSecond() {
    beats.asked(now);
    now += EarlyBeats.FIRST_MS;
    beats.made(now);
    beats.answered(false, true);
    assertThat(beat(false)).containsExactly(100L);
  }

  @Test
  void theyGoOnWhileTheAllocatorHasNotComeToAsk() {
    beats.asked(now);
    assertThat(beat(false)).hasSize(EarlyBeats.MOST);
  }

  @Test
  void whatIsAskedForAtTheSameTimeGoesAlong() {
    beats.asked(now);
    beats.asked(now + 5);
    assertThat(beats.waitMs(now + 5)).isEqualTo(EarlyBeats.FIRST_MS - 5);
  }

  @Test
  void theyAreNeverCloserThanTheFirstPause() {
    beats.asked(now);
    now += EarlyBeats.FIRST_MS;
    beats.made(now);
    beats.answered(false, true);
    beats.asked(now);
    assertThat(beats.waitMs(now)).isEqualTo(EarlyBeats.SECOND_MS);
  }

  @Test
  void endOfTaskCountsOnlyWhereContainersAreOutstanding() {
    beats.ended(now);
    assertThat(beats.waitMs(now)).isNegative();
    beats.answered(true, true);
    beats.ended(now);
    assertThat(beats.waitMs(now)).isEqualTo(EarlyBeats.FIRST_MS);
  }

  @Test
  void thereAreNoMoreInRowThanTheLimit() {
    int made = 0;
    for (int i = 0; i < 5; i++) {
      beats.asked(now);
      made += beat(true).size();
    }
    assertThat(made).isEqualTo(LIMIT);
  }

  @Test
  void eachRegularOneGivesOneBack() {
    thereAreNoMoreInRowThanTheLimit();
    beats.answered(true, true);
    beats.answered(true, true);
    beats.asked(now);
    assertThat(beat(true)).hasSize(2);
  }

  @Test
  void limitOfZeroIsNever() {
    EarlyBeats none = new EarlyBeats(0);
    none.asked(now);
    assertThat(none.waitMs(now)).isNegative();
  }
}
