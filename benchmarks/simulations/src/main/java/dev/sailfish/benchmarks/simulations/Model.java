package dev.sailfish.benchmarks.simulations;

import dev.sailfish.benchmarks.figures.Figure;
import dev.sailfish.benchmarks.figures.FigureDirectory;
import dev.sailfish.cli.TerminalCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * A model as a command: takes parameters, prints what follows, draws it where that is asked for.
 */
abstract class Model extends TerminalCommand {
  @Option(
      names = "--figures",
      paramLabel = "DIR",
      description = "Also write the model's figures there, each as CSV and as SVG.")
  private Optional<Path> figures;

  /**
   * What a model says.
   *
   * @param text for the terminal, with its line ends
   * @param figures what can be drawn of it
   */
  record Result(String text, List<Figure> figures) {
    Result {
      figures = List.copyOf(figures);
    }
  }

  /** Checks the options and computes. */
  abstract Result compute();

  @Override
  public final Integer call() throws IOException {
    Result result = compute();
    out().print(result.text());
    out().flush();
    if (figures.isPresent()) {
      FigureDirectory.create(figures.get()).write(result.figures());
    }
    return 0;
  }
}
