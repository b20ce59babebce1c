package dev.sailfish.cli.progress;

import dev.sailfish.localcluster.client.JobClient;
import java.io.PrintStream;
import java.util.Optional;

/** Progress where there is no terminal: each line that is new is printed. */
final class PlainLines implements Screen {
  private final PrintStream to;
  private String last = "";
  private boolean ended;

  PlainLines(PrintStream to) {
    this.to = to;
  }

  @Override
  public synchronized void show(String line) {
    if (!ended && !line.equals(last)) {
      last = line;
      to.println(line);
    }
  }

  @Override
  public synchronized void print(String line) {
    if (!ended) {
      to.println(line);
    }
  }

  @Override
  public synchronized void end() {
    ended = true;
  }

  @Override
  public Optional<JobClient.Printed> others(PrintStream stream) {
    return Optional.empty();
  }
}
