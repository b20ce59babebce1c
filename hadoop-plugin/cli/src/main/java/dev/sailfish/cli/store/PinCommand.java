package dev.sailfish.cli.store;

import dev.sailfish.lineage.client.NamespaceClient;
import java.io.IOException;
import picocli.CommandLine.Command;

/** {@code sailfish store pin}. */
@Command(
    name = "pin",
    description =
        "Has the blocks of a file, or of all files that are or come below a directory, stay in the"
            + " memory that they are in.")
final class PinCommand extends NamespaceCommand {
  @Override
  void ask(NamespaceClient client, String path) throws IOException {
    client.setPin(path, true);
  }
}
