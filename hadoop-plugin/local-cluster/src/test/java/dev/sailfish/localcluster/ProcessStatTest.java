package dev.sailfish.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ProcessStatTest {
  private static final String REST =
      " S 17 42 42 0 -1 4194304 1 2 3 4 100 20 3000 400 20 0 1 0 987654 1 2";

  @Test
  void readsTheFieldsBehindACommandWithBlanksAndParentheses() {
    assertThat(ProcessStat.parse("42 (a) S (b) 1 c)" + REST))
        .isEqualTo(new ProcessStat(42, 'S', 3520, 987654));
  }

  @Test
  void zombiesDoNotRun() {
    assertThat(ProcessStat.parse("42 (java)" + REST).isRunning()).isTrue();
    assertThat(ProcessStat.parse("42 (java)" + REST.replace('S', 'Z')).isRunning()).isFalse();
  }

  @Test
  void refusesWhatIsNoStatLine() {
    assertThatThrownBy(() -> ProcessStat.parse("42 java S 1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("line=42 java S 1");
    assertThatThrownBy(() -> ProcessStat.parse("42 (java) S 1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fields=2");
  }

  @Test
  void seesThisProcessAndItsChildren() throws IOException {
    long own = ProcessHandle.current().pid();
    assertThat(ProcessStat.read(own)).map(ProcessStat::isRunning).contains(true);
    Process child = new ProcessBuilder("sleep", "60").start();
    try {
      assertThat(ProcessStat.descendantsOf(own)).extracting(ProcessStat::pid).contains(child.pid());
    } finally {
      child.destroyForcibly();
    }
  }

  @Test
  void thereIsNoProcessZero() {
    assertThat(ProcessStat.read(0)).isEmpty();
  }
}
