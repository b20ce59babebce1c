package dev.sailfish.ground.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CandidacyTest {
  private static final long FAR = Candidacy.MOST_BEHIND + 1;
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private final Candidacy candidacy = new Candidacy();

  @Test
  void onlyOneThatIsFarBehindLeavesTheLeadToOthers() {
    assertThat(candidacy.stands(0, -5)).isTrue();
    assertThat(candidacy.stands(Candidacy.MOST_BEHIND, -4)).isTrue();
    assertThat(candidacy.stands(FAR, -3)).isFalse();
    assertThat(candidacy.stands(FAR, -3 + SECOND_NS)).isFalse();
    assertThat(candidacy.stands(0, -2 + SECOND_NS)).isTrue();
  }

  @Test
  void standsWhenNobodyElseIsBetter() {
    assertThat(candidacy.stands(FAR, 0)).isFalse();
    candidacy.nobodyIsBetter(SECOND_NS);
    assertThat(candidacy.stands(FAR, SECOND_NS)).isTrue();
    assertThat(candidacy.stands(FAR, 2 * SECOND_NS)).isTrue();
    // Another election, later.
    assertThat(candidacy.stands(FAR, 60 * SECOND_NS)).isFalse();
  }

  @Test
  void standsWhenNobodyElseHasWon() {
    assertThat(candidacy.stands(FAR, 0)).isFalse();
    assertThat(candidacy.stands(FAR, Candidacy.GRACE_NS)).isFalse();
    assertThat(candidacy.stands(FAR, Candidacy.GRACE_NS + 1)).isTrue();
    // Another election, later.
    assertThat(candidacy.stands(FAR, Candidacy.GRACE_NS + 60 * SECOND_NS)).isFalse();
  }
}
