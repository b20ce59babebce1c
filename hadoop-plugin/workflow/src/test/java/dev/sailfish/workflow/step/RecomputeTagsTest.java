package dev.sailfish.workflow.step;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class RecomputeTagsTest {
  @Test
  void aStepIsFoundByItsTags() {
    assertThat(RecomputeTags.of("store-1", 77)).contains(RecomputeTags.manager("store-1"));
    assertThat(RecomputeTags.dependency(RecomputeTags.of("store-1", 77))).hasValue(77);
  }

  @Test
  void othersAreNone() {
    assertThat(RecomputeTags.dependency(Set.of())).isEmpty();
    assertThat(RecomputeTags.dependency(Set.of("sailfish-recompute-", "sailfish-recompute-x")))
        .isEmpty();
  }
}
