package dev.sailfish.lineage.master;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.journal.JournalFiles;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.lineage.master.state.StoreState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The journal of a master that does not run. */
public final class StoredJournal {
  private final Path directory;

  /**
   * @param settings the master's
   * @throws IllegalArgumentException when something is wrong with them, or nothing is kept
   */
  public StoredJournal(Settings settings) {
    LineageMasterKey.ALL.check(settings);
    JournalSettings journal = LineageMasterKey.JOURNAL.read(settings, LineageMasterKey.PORT);
    directory =
        journal
            .directory()
            .orElseThrow(
                () ->
                    new IllegalArgumentException("this master keeps nothing: there is no journal"));
  }

  /** Whether these are a master's settings. */
  public static boolean isOf(Settings settings) {
    return settings.isSet(LineageMasterKey.JOURNAL.directory());
  }

  /**
   * What is in it.
   *
   * @param names files and directories
   * @param damage a sentence for each thing that is wrong
   */
  public record Content(
      Path directory, long snapshotIndex, long entries, long names, List<String> damage) {}

  /**
   * Reads the newest snapshot and all entries behind it, as a master that starts does.
   *
   * @throws IOException when a process has it, or there is none
   */
  public Content verify() throws IOException {
    StoreState state =
        new StoreState(
            new StoreState.Listener() {
              @Override
              public void lead() {}

              @Override
              public void follow() {}

              @Override
              public void mounted() {}

              @Override
              public void on(long fid, int worker) {}
            });
    JournalFiles.Verdict verdict = JournalFiles.verify(directory, state);
    return new Content(
        directory,
        verdict.snapshotIndex(),
        verdict.entries(),
        state.namespace().size(),
        verdict.damage());
  }

  /**
   * Removes it, so that the master begins without files.
   *
   * @param force whether one that is there goes
   * @return the directory
   * @throws IOException when a process has it, or one is there and is not to go
   */
  public Path format(boolean force) throws IOException {
    JournalFiles.format(directory, force);
    return directory;
  }
}
