package dev.sailfish.cli.store;

import dev.sailfish.lineage.client.NamespaceClient;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code sailfish store unpin}. */
@Command(
    name = "unpin",
    description =
        "Ends the pin of this file or directory. One above it, or below it, is another one.")
final class UnpinCommand extends NamespaceCommand {
  @Override
  void ask(NamespaceClient client, String path) throws IOException {
    client.setPin(path, false);
    if (client.use(path).getPinned()) {
      out().println(path + " is pinned all the same, by a directory above it.");
    }
  }
}
