package dev.sailfish.cli.store;

import dev.sailfish.cli.StoreOptions;
import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.security.SecureRandom;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Asks the master something about a path, or to change it. */
abstract class NamespaceCommand extends TerminalCommand {
  @Mixin private StoreOptions store;

  @Parameters(
      index = "0",
      paramLabel = "PATH",
      converter = StoreUri.class,
      description = "A path of the store, from its root: /a/b.")
  private String path;

  @Override
  public final Integer call() throws IOException {
    try (NamespaceClient client =
        new NamespaceClient(store.config(), new SecureRandom().nextLong() | 1)) {
      ask(client, path);
      return 0;
    } catch (IOException e) {
      throw new CommandException(path + ": " + e.getMessage(), e);
    }
  }

  abstract void ask(NamespaceClient client, String of) throws IOException;
}
