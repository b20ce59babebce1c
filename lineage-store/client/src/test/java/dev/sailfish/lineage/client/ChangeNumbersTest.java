package dev.sailfish.lineage.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChangeNumbersTest {
  private final ChangeNumbers numbers = new ChangeNumbers();
  private final List<Long> sent = new ArrayList<>();
  private final List<Long> below = new ArrayList<>();

  private void begin() {
    numbers.begin(
        (number, answeredBelow) -> {
          sent.add(number);
          below.add(answeredBelow);
        });
  }

  @Test
  void saysThatThereAreAnswersUpToTheFirstThatIsMissing() {
    for (int i = 0; i < 3; i++) {
      begin();
    }
    numbers.ended(3);
    begin();
    numbers.ended(1);
    begin();
    numbers.ended(2);
    begin();
    assertThat(sent).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    assertThat(below).containsExactly(1L, 1L, 1L, 1L, 2L, 4L);
  }

  @Test
  void noNumberIsFarAheadOfOneWithoutAnAnswer() {
    for (int i = 0; i < 2 * ChangeNumbers.MOST; i++) {
      begin();
    }
    assertThat(sent).hasSize(ChangeNumbers.MOST);
    for (long number = ChangeNumbers.MOST; number > 1; number--) {
      numbers.ended(number);
    }
    assertThat(sent).hasSize(ChangeNumbers.MOST);
    numbers.ended(1);
    assertThat(sent).hasSize(2 * ChangeNumbers.MOST);
    assertThat(below.get(ChangeNumbers.MOST)).isEqualTo(ChangeNumbers.MOST + 1L);
  }
}
