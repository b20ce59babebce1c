package dev.sailfish.workbuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MapWinnersTest {
  private final MapWinners winners = new MapWinners(3);

  @Test
  void shouldBeCompleteWhenEveryMapSucceeded() {
    winners.succeeded(2, 0);
    winners.succeeded(0, 1);
    assertThat(winners.complete()).isFalse();
    assertThat(winners.undecided()).isEqualTo(1);
    winners.succeeded(1, 0);
    assertThat(winners.complete()).isTrue();
    assertThat(winners.pairs()).containsExactly(0, 1, 1, 0, 2, 0);
  }

  @Test
  void shouldWaitAgainWhenTheWinnerIsWithdrawn() {
    winners.succeeded(0, 0);
    winners.withdrawn(0, 0);
    assertThat(winners.pairs()).isEmpty();
    assertThat(winners.undecided()).isEqualTo(3);
    winners.succeeded(0, 1);
    assertThat(winners.pairs()).containsExactly(0, 1);
  }

  @Test
  void onlyTheWinnerShouldCount() {
    winners.succeeded(0, 1);
    assertThat(winners.counts(0, 1)).isTrue();
    assertThat(winners.counts(0, 0)).isFalse();
    assertThat(winners.counts(1, 0)).isFalse();
    winners.gaveUp(0);
    assertThat(winners.counts(0, 1)).isFalse();
    assertThat(winners.counts(0, -2)).isFalse();
  }

  @Test
  void shouldIgnoreTheEndOfAnAttemptThatDidNotWin() {
    winners.succeeded(0, 1);
    winners.withdrawn(0, 0);
    assertThat(winners.pairs()).containsExactly(0, 1);
  }

  @Test
  void shouldTakeTheLaterOfTwoSuccesses() {
    winners.succeeded(1, 0);
    winners.succeeded(1, 3);
    assertThat(winners.pairs()).containsExactly(1, 3);
  }

  @Test
  void shouldNotWaitForAMapThatWasGivenUp() {
    winners.succeeded(0, 0);
    winners.gaveUp(0);
    winners.gaveUp(1);
    winners.succeeded(2, 0);
    assertThat(winners.complete()).isTrue();
    assertThat(winners.pairs()).containsExactly(2, 0);
  }

  @Test
  void withdrawnAttemptsShouldStandInUntilTheirMapsHaveRunAgain() {
    winners.succeeded(0, 7);
    winners.succeeded(1, 2);
    winners.withdrawn(0, 7);
    assertThat(winners.pairsWithWithdrawn()).as("map 2 has not won").isNull();
    winners.gaveUp(2);
    assertThat(winners.pairsWithWithdrawn()).containsExactly(0, 7, 1, 2);
    assertThat(winners.pairs()).containsExactly(1, 2);
    winners.succeeded(0, 8);
    assertThat(winners.pairsWithWithdrawn()).containsExactly(0, 8, 1, 2);
  }

  @Test
  void shouldBeCompleteWithoutMaps() {
    assertThat(new MapWinners(0).complete()).isTrue();
  }

  @Test
  void shouldRefuseAMapThatTheJobDoesNotHave() {
    assertThatThrownBy(() -> winners.succeeded(3, 0)).hasMessageContaining("map=3");
    assertThatThrownBy(() -> winners.succeeded(0, -1)).hasMessageContaining("attempt=-1");
  }
}
