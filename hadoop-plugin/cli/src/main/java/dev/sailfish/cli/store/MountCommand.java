package dev.sailfish.cli.store;

import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.MountEntry;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sailfish store mount}. */
@Command(
    name = "mount",
    description = {
      "Mounts a directory of another file system at a path of the store, or shows what is mounted.",
      "The options are in docs/CONFIGURATION.md: `mount /lake s3a://lake/tables read.only=true`."
    })
final class MountCommand extends ClientCommand {
  @Parameters(
      arity = "0..*",
      paramLabel = "PATH URI NAME=VALUE",
      description = "What is mounted where, and how; blanks in it are written as %%20.")
  private List<String> mount = List.of();

  @Override
  int ask(StoreClient client) throws IOException {
    if (mount.size() == 1) {
      throw wrongArguments("a mount is a path, a URI, and options; without all it is shown");
    }
    if (!mount.isEmpty()) {
      client.mounts().add(String.join(" ", mount));
    }
    for (MountEntry each : client.mounts().list()) {
      out()
          .println(
              each.getMount().isEmpty() ? each.getPath() + " " + each.getRoot() : each.getMount());
    }
    return 0;
  }
}
