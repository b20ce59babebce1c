package dev.sailfish.cli.store;

import dev.sailfish.cli.TextTable;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.CheckpointEntry;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sailfish lineage queue}. */
@Command(
    name = "queue",
    description = {
      "Lists the caller's files that wait to be copied below in the background, a superuser's command"
          + " all of them: about in the order in which they will be copied.",
      "Files of which something was made that waits, too, come after that, and are not shown."
    })
final class LineageQueueCommand extends ClientCommand {
  private static final long SECOND_MS = 1_000;

  @Option(
      names = "--most",
      paramLabel = "FILES",
      defaultValue = "1000",
      description = "How many files are shown at most (default: ${DEFAULT-VALUE}).")
  private int most;

  @Override
  int ask(StoreClient client) throws IOException {
    TextTable table = new TextTable("fid|bytes|stage|worker|path|failure");
    client.lineage().checkpoints(most, file -> add(table, file));
    out().print(table.render());
    out().flush();
    return 0;
  }

  private static void add(TextTable table, CheckpointEntry file) {
    table.add(
        LineageText.fid(file.getFid()),
        file.getLength(),
        file.getStage().name().toLowerCase(Locale.ROOT),
        file.hasWorker() ? file.getWorker().getHost() + ":" + file.getWorker().getPort() : "",
        file.getPath(),
        file.getFailures() == 0 ? "" : failure(file));
  }

  /** What failed, how often, and when it is tried again. */
  static String failure(CheckpointEntry file) {
    return "%d times, again in %d s: %s"
        .formatted(file.getFailures(), file.getRetryMs() / SECOND_MS, file.getFailure());
  }
}
