package dev.sailfish.cli.progress;

import dev.sailfish.localcluster.client.JobClient;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Optional;

/**
 * One line at the bottom of a terminal that changes. What others print goes through here: the line
 * is taken away before and put back behind it, but never in the middle of a line of theirs.
 */
final class LiveLine implements Screen {
  private static final String ERASE = "\r\u001b[K";

  /** A line that is wider than the terminal is cut, not wrapped: one line is what is erased. */
  private static final String CUT = "\u001b[?7l";

  private static final String WRAP = "\u001b[?7h";

  private final PrintStream terminal;
  private final PrintStream[] terminals;
  private String line = "";
  private boolean drawn;
  private boolean othersAreInALine;
  private boolean ended;

  /**
   * @param terminal where the line is
   * @param terminals the streams of this process that end there
   */
  LiveLine(PrintStream terminal, PrintStream... terminals) {
    this.terminal = terminal;
    this.terminals = terminals.clone();
  }

  @Override
  public synchronized void show(String text) {
    if (!ended) {
      line = text;
      draw();
    }
  }

  @Override
  public synchronized void print(String text) {
    if (!ended) {
      erase();
      terminal.println(othersAreInALine ? System.lineSeparator() + text : text);
      othersAreInALine = false;
      draw();
    }
  }

  @Override
  public synchronized void end() {
    ended = true;
    erase();
  }

  @Override
  public Optional<JobClient.Printed> others(PrintStream stream) {
    for (PrintStream there : terminals) {
      if (there == stream) {
        return Optional.of((bytes, length) -> pass(stream, bytes, length));
      }
    }
    return Optional.empty();
  }

  private synchronized void pass(PrintStream to, byte[] bytes, int length) throws IOException {
    erase();
    to.write(bytes, 0, length);
    to.flush();
    if (to.checkError()) {
      throw new IOException("the terminal is gone");
    }
    othersAreInALine = length > 0 ? bytes[length - 1] != '\n' : othersAreInALine;
    draw();
  }

  private void draw() {
    if (!ended && !othersAreInALine && !line.isEmpty()) {
      terminal.print(ERASE + CUT + line + WRAP);
      terminal.flush();
      drawn = true;
    }
  }

  private void erase() {
    if (drawn) {
      terminal.print(ERASE);
      terminal.flush();
      drawn = false;
    }
  }
}
