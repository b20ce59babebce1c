package dev.sailfish.benchmarks.store.qfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** QFS's own {@code cptoqfs} and {@code qfscat}, a process each time. */
final class ToolTransfer implements Transfer {
  private final Path directory;
  private final String host;
  private final int port;
  private final int copies;

  /**
   * @param directory of the tools
   * @param copies of each chunk
   */
  ToolTransfer(Path directory, String host, int port, int copies) {
    this.directory = directory;
    this.host = host;
    this.port = port;
    this.copies = copies;
  }

  @Override
  public String name() {
    return "tools";
  }

  @Override
  public void in(Path from, String to) throws IOException {
    run(
        "cptoqfs",
        List.of("-r", Integer.toString(copies), "-x", "-d", from.toString(), "-k", to),
        Redirect.DISCARD);
  }

  @Override
  public void out(String from) throws IOException {
    out(from, Redirect.DISCARD);
  }

  /** The same with the bytes kept. */
  void out(String from, Redirect into) throws IOException {
    run("qfscat", List.of(from), into);
  }

  private void run(String tool, List<String> arguments, Redirect output) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(directory.resolve(tool).toString(), "-s", host, "-p", Integer.toString(port)));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectOutput(output).redirectError(Redirect.INHERIT).start();
    try {
      if (process.waitFor() != 0) {
        throw new IOException(command + " ended with exit code " + process.exitValue());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while " + tool + " ran");
    } finally {
      process.destroyForcibly();
    }
  }
}
