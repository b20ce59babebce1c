package dev.sailfish.cli;

import dev.sailfish.cli.inspect.ChunkDump;
import dev.sailfish.cli.inspect.ChunkFile;
import dev.sailfish.cli.inspect.ChunkVerifier;
import dev.sailfish.cli.inspect.Verdict;
import dev.sailfish.format.FormatException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish chunk dump|verify FILE}. */
@Command(
    name = "chunk",
    description = "Looks into a chunk's file, for people who debug.",
    mixinStandardHelpOptions = true,
    subcommands = {ChunkCommand.Dump.class, ChunkCommand.Verify.class})
final class ChunkCommand {
  private static final String EXIT_CODES =
      "Exit code 0: good, 1: damaged, 2: wrong arguments or an unreadable file.";

  /** A look into a file. */
  abstract static class Look extends TerminalCommand {
    @Parameters(
        paramLabel = "FILE",
        description = "A file of a chunkserver's data.dirs or memory.dir, or a copy of one.")
    private Path file;

    @Override
    public final Integer call() {
      PrintWriter out = new PrintWriter(out(), false);
      try {
        return isGood(file, out) ? 0 : 1;
      } catch (FormatException e) {
        out.println(Verdict.damaged(file, e).line());
        return 1;
      } catch (IOException e) {
        boolean missing = e instanceof NoSuchFileException || e instanceof FileNotFoundException;
        String why = missing ? "there is no such file" : e.toString();
        String advice =
            "sailfish: Cannot read %s: %s. Name a chunk's file: they are below the chunkservers'"
                + " data.dirs and memory.dir while their job runs.%n";
        err().printf(advice, file, why);
        return 2;
      } finally {
        out.flush();
      }
    }

    /** Prints what there is to see; tells whether all of it could be read. */
    abstract boolean isGood(Path file, PrintWriter out) throws IOException;
  }

  /** {@code sailfish chunk dump FILE}. */
  @Command(
      name = "dump",
      description = {
        "Prints a chunk's header, its blocks and, when it is SORTED, source table and index.",
        EXIT_CODES
      })
  static final class Dump extends Look {
    @Option(
        names = "--records",
        paramLabel = "N",
        defaultValue = "0",
        description =
            "Print the first N records of each block, [source] first when it is sorted"
                + " (default: 0).")
    private int records;

    @Override
    boolean isGood(Path file, PrintWriter out) throws IOException {
      if (records < 0) {
        throw wrongArguments("--records must not be negative");
      }
      return new ChunkDump(ChunkFile.open(file), out).print(records);
    }
  }

  /** {@code sailfish chunk verify FILE}. */
  @Command(
      name = "verify",
      description = {
        "Checks all checksums, records, the order, index and source table of a chunk and prints one"
            + " line.",
        EXIT_CODES
      })
  static final class Verify extends Look {
    @Override
    boolean isGood(Path file, PrintWriter out) throws IOException {
      Verdict verdict = ChunkVerifier.verify(file);
      out.println(verdict.line());
      return verdict.good();
    }
  }
}
