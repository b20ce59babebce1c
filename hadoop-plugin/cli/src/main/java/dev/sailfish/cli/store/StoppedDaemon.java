package dev.sailfish.cli.store;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.lineage.master.StoredJournal;
import dev.sailfish.lineage.worker.StoredBlocks;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** What a master or a worker keeps that does not run, by its properties file. */
interface StoppedDaemon {
  /**
   * What is in its directories, in a sentence, and a sentence for each thing that is wrong.
   *
   * @param content what there is
   */
  record Verdict(String content, List<String> damage) {}

  /** Looks through all of it, and changes nothing. */
  Verdict verify() throws IOException;

  /**
   * Removes all of it.
   *
   * @return what is empty now
   */
  String format(boolean force) throws IOException;

  /**
   * The daemon of a file.
   *
   * @throws CommandException when something is wrong with the file
   */
  static StoppedDaemon of(Path file) throws IOException {
    Settings settings = Settings.read(file);
    try {
      return StoredJournal.isOf(settings)
          ? master(new StoredJournal(settings))
          : worker(new StoredBlocks(settings));
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "%s is the file of neither a lineage master nor a lineage worker, or is wrong: %s"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  private static StoppedDaemon master(StoredJournal journal) {
    return new StoppedDaemon() {
      @Override
      public Verdict verify() throws IOException {
        StoredJournal.Content found = journal.verify();
        return new Verdict(
            "journal %s: snapshot after entry %d, %d entries behind it, %d files and directories"
                .formatted(
                    found.directory(), found.snapshotIndex(), found.entries(), found.names()),
            found.damage());
      }

      @Override
      public String format(boolean force) throws IOException {
        return "journal " + journal.format(force);
      }
    };
  }

  private static StoppedDaemon worker(StoredBlocks blocks) {
    return new StoppedDaemon() {
      @Override
      public Verdict verify() throws IOException {
        StoredBlocks.Content found = blocks.verify();
        return new Verdict(
            "%s: %d blocks, %d bytes with their checksums, %d blocks not finished"
                .formatted(
                    text(found.directories()), found.blocks(), found.bytes(), found.unfinished()),
            found.damage());
      }

      @Override
      public String format(boolean force) throws IOException {
        return text(blocks.format(force));
      }
    };
  }

  private static String text(List<Path> directories) {
    return directories.stream()
        .map(Path::toString)
        .collect(Collectors.joining(", ", "directories ", ""));
  }
}
