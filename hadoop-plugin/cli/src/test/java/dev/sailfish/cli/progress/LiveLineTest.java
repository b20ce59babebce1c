package dev.sailfish.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.localcluster.client.JobClient.Printed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LiveLineTest {
  private static final String LINE = "\r\u001b[K\u001b[?7lmaps 1/2\u001b[?7h";
  private static final String GONE = "\r\u001b[K";

  private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
  private final PrintStream terminal = new PrintStream(screen, false, StandardCharsets.UTF_8);
  private final LiveLine line = new LiveLine(terminal, terminal);

  private void pass(String text) throws IOException {
    Printed others = line.others(terminal).orElseThrow();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    others.take(bytes, bytes.length);
  }

  /** What has been written since the last time. */
  private String written() {
    String text = screen.toString(StandardCharsets.UTF_8);
    screen.reset();
    return text;
  }

  @Test
  void theLineGivesWayToWhatOthersPrint() throws IOException {
    line.show("maps 1/2");
    assertThat(written()).isEqualTo(LINE);
    pass("one\ntwo\n");
    assertThat(written()).isEqualTo(GONE + "one\ntwo\n" + LINE);
  }

  @Test
  void itIsNotPutIntoALineOfOthers() throws IOException {
    line.show("maps 0/2");
    written();
    pass("a question? ");
    assertThat(written()).isEqualTo(GONE + "a question? ");
    line.show("maps 1/2");
    assertThat(written()).isEmpty();
    pass("yes\n");
    assertThat(written()).isEqualTo("yes\n" + LINE);
  }

  @Test
  void whatStaysIsALineOfItsOwn() throws IOException {
    line.show("maps 1/2");
    written();
    line.print("the plan");
    assertThat(written()).isEqualTo(GONE + "the plan\n" + LINE);
    pass("half");
    written();
    line.print("the plan");
    assertThat(written()).isEqualTo("\nthe plan\n" + LINE);
  }

  @Test
  void nothingOfItIsLeftAtTheEndAndOthersGoOn() throws IOException {
    line.show("maps 1/2");
    written();
    line.end();
    assertThat(written()).isEqualTo(GONE);
    line.show("maps 2/2");
    line.print("the plan");
    assertThat(written()).isEmpty();
    pass("last words\n");
    assertThat(written()).isEqualTo("last words\n");
  }

  @Test
  void whatDoesNotGoToTheTerminalIsNotTouched() {
    assertThat(line.others(new PrintStream(new ByteArrayOutputStream()))).isEmpty();
  }
}
