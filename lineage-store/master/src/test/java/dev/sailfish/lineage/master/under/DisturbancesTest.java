package dev.sailfish.lineage.master.under;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DisturbancesTest {
  private final Disturbances disturbances = new Disturbances();

  private boolean isUndisturbed(String path, long since) {
    boolean[] done = {false};
    boolean said = disturbances.unlessDisturbed(path, since, () -> done[0] = true);
    assertThat(said).isEqualTo(done[0]);
    return said;
  }

  @Test
  void aChangeThatRunsDisturbsWhatIsAboveAndBelow() {
    long since = disturbances.now();
    disturbances.begin("/a/b");
    assertThat(isUndisturbed("/a/b", since)).isFalse();
    assertThat(isUndisturbed("/a/b/c", since)).isFalse();
    assertThat(isUndisturbed("/a", since)).isFalse();
    assertThat(isUndisturbed("/", since)).isFalse();
    assertThat(isUndisturbed("/a/bc", since)).isTrue();
    assertThat(isUndisturbed("/a/c", since)).isTrue();
    assertThat(isUndisturbed("/ab", since)).isTrue();
  }

  @Test
  void aChangeThatHasEndedDisturbsWhatWasSeenBefore() {
    long before = disturbances.now();
    disturbances.begin("/a");
    disturbances.end("/a");
    long after = disturbances.now();
    assertThat(isUndisturbed("/a", before)).isFalse();
    assertThat(isUndisturbed("/a", after)).isTrue();
  }

  @Test
  void twoChangesOfOnePathEndOneByOne() {
    disturbances.begin("/a");
    disturbances.begin("/a");
    disturbances.end("/a");
    assertThat(isUndisturbed("/a", disturbances.now())).isFalse();
    disturbances.end("/a");
    assertThat(isUndisturbed("/a", disturbances.now())).isTrue();
  }

  @Test
  void whatIsRememberedNoMoreIsTakenForDisturbed() {
    long before = disturbances.now();
    for (int i = 0; i < 10_001; i++) {
      disturbances.begin("/other/" + i);
      disturbances.end("/other/" + i);
    }
    assertThat(isUndisturbed("/a", before)).isFalse();
    assertThat(isUndisturbed("/a", disturbances.now())).isTrue();
  }
}
