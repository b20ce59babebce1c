package dev.sailfish.cli.store;

import dev.sailfish.lineage.client.StoreClient;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sailfish store load}. */
@Command(name = "load", description = "Loads the blocks of files under a mount that no worker has.")
final class LoadCommand extends ClientCommand {
  @Parameters(
      index = "0",
      paramLabel = "PATH",
      converter = StoreUri.class,
      description = "A file, or a directory with all below.")
  private String path;

  @Override
  int ask(StoreClient client) throws IOException {
    return show(client.load(path), "loaded");
  }
}
