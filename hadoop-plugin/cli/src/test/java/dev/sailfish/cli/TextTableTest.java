package dev.sailfish.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    TextTable table = new TextTable("job|wall s|output");
    table.add("wordcount", 7.46, "equal");
    assertThat(table.render()).isEqualTo("job        wall s  output\nwordcount     7.5   equal\n");
  }

  @Test
  void refusesARowOfAnotherLength() {
    assertThatThrownBy(() -> new TextTable("a|b").add(1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("cells=[1] headings=[a, b]");
  }
}
