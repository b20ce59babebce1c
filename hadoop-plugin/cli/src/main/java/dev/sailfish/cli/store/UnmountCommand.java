package dev.sailfish.cli.store;

import dev.sailfish.lineage.client.StoreClient;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish store unmount}. */
@Command(
    name = "unmount",
    description =
        "Takes a mount away. What is under its path goes out of the store, and stays below.")
final class UnmountCommand extends ClientCommand {
  @Parameters(
      index = "0",
      paramLabel = "PATH",
      converter = StoreUri.class,
      description = "Where it is mounted.")
  private String path;

  @Option(names = "--force", description = "Also when files go that are not below.")
  private boolean force;

  @Override
  int ask(StoreClient client) throws IOException {
    client.mounts().remove(path, force);
    return 0;
  }
}
