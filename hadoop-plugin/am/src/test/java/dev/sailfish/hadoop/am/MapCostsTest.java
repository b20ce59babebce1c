package dev.sailfish.hadoop.am;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MapCostsTest {
  @Test
  void shouldCountHowManyRanAtOnce() {
    assertThat(MapCosts.mostAtOnce(List.of())).isZero();
    assertThat(MapCosts.mostAtOnce(List.of(new long[] {5, 9}))).isEqualTo(1);
    assertThat(
            MapCosts.mostAtOnce(
                List.of(
                    new long[] {1, 5}, new long[] {2, 4}, new long[] {3, 8}, new long[] {6, 9})))
        .isEqualTo(3);
  }

  @Test
  void shareShouldBeWhatMapsHadOfWhatAJvmUsesAlone() {
    assertThat(MapCosts.share(0.9, 1.5)).isEqualTo(0.6);
    assertThat(MapCosts.share(1.5, 1.2)).isEqualTo(1);
    assertThat(MapCosts.share(0.8, 0.5)).as("an ApplicationMaster that waited").isEqualTo(0.8);
    assertThat(MapCosts.share(0, 1)).isEqualTo(0.25);
  }

  @Test
  void oneThatBeginsWhenAnotherEndsRunsInItsContainer() {
    assertThat(MapCosts.mostAtOnce(List.of(new long[] {1, 5}, new long[] {5, 9}))).isEqualTo(1);
  }
}
