package dev.sailfish.cli.store;

import dev.sailfish.cli.StoreOptions;
import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.TransferOutcome;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import picocli.CommandLine.Mixin;

/** Works with mounts, and with files that are below them. */
abstract class ClientCommand extends TerminalCommand {
  @Mixin private StoreOptions store;

  @Override
  public final Integer call() throws IOException {
    try (StoreClient client = new StoreClient(store.config())) {
      return ask(client);
    } catch (IOException e) {
      throw new CommandException(e.getMessage(), e);
    }
  }

  /** Returns the exit code. */
  abstract int ask(StoreClient client) throws IOException;

  /**
   * Says what became of files.
   *
   * @param what for instance "loaded"
   * @return the exit code
   */
  int show(TransferOutcome outcome, String what) {
    out()
        .printf(
            "%d files, %d %s with %d bytes, %d failed%n",
            outcome.files(), outcome.done(), what, outcome.bytes(), outcome.failed());
    outcome.failures().forEach((path, why) -> err().println(path + ": " + why.getMessage()));
    return outcome.failed() == 0 ? 0 : 1;
  }
}
