package dev.sailfish.cli.store;

import dev.sailfish.lineage.client.StoreClient;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sailfish store copy}. */
@Command(
    name = "copy",
    description = "Copies complete files under a mount below that are only in the store.")
final class CopyCommand extends ClientCommand {
  @Parameters(
      index = "0",
      paramLabel = "PATH",
      converter = StoreUri.class,
      description = "A file, or a directory with all below.")
  private String path;

  @Override
  int ask(StoreClient client) throws IOException {
    return show(client.copy(path), "copied");
  }
}
