package dev.sailfish.cli.store;

import dev.sailfish.cli.StoreOptions;
import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.lineage.client.StoreAdmin;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sailfish lineage sync-mode}. */
@Command(
    name = "sync-mode",
    description = {
      "Has all new files under a mount written through, whatever their writers ask for: for the time"
          + " in which programs, or what they run on, are replaced.",
      "Files that bypass memory do so still."
    })
final class LineageSyncModeCommand extends TerminalCommand {
  /** What is to be done. */
  enum Action {
    ON,
    OFF,
    STATUS
  }

  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "ACTION", description = "${COMPLETION-CANDIDATES}.")
  private Action action;

  @Override
  public Integer call() throws IOException {
    try {
      StoreClientConfig config = store.config();
      if (action != Action.STATUS) {
        set(config, action == Action.ON);
      }
      try (StoreAdmin admin = new StoreAdmin(config)) {
        out().println("sync-mode: " + (admin.report().getSynchronous() ? "on" : "off"));
        out().flush();
      }
      return 0;
    } catch (IOException e) {
      throw new CommandException(e.getMessage(), e);
    }
  }

  private static void set(StoreClientConfig config, boolean on) throws IOException {
    try (StoreClient client = new StoreClient(config)) {
      client.mounts().setSynchronous(on);
    }
  }
}
