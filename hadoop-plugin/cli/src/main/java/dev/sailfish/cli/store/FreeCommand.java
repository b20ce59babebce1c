package dev.sailfish.cli.store;

import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.FreeFilesResponse;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sailfish store free}. */
@Command(
    name = "free",
    description =
        "Has workers let the blocks of files go that are below, too, with their next heartbeats;"
            + " what is pinned stays.")
final class FreeCommand extends ClientCommand {
  @Parameters(
      index = "0",
      paramLabel = "PATH",
      converter = StoreUri.class,
      description = "A file, or a directory with all below.")
  private String path;

  @Override
  int ask(StoreClient client) throws IOException {
    FreeFilesResponse freed = client.mounts().free(path);
    out()
        .printf(
            "%d files go, %d are only here and stay, %d are pinned and stay%n",
            freed.getFreed(), freed.getKept(), freed.getPinned());
    return 0;
  }
}
