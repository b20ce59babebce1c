package dev.sailfish.cli.store;

import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.protocol.wire.CheckpointPathResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish lineage checkpoint}. */
@Command(
    name = "checkpoint",
    description = {
      "Has complete files under a mount copied below before all others, and waits until they are"
          + " there.",
      "Exit code 0 if they are, else 1."
    })
final class LineageCheckpointCommand extends ClientCommand {
  private static final Duration POLL = Duration.ofSeconds(1);

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH",
      converter = StoreUri.class,
      description = "Files, or directories with all below.")
  private List<String> paths;

  @Option(
      names = "--deadline",
      paramLabel = "SECONDS",
      defaultValue = "3600",
      description = "How long it waits (default: ${DEFAULT-VALUE}).")
  private long deadlineSeconds;

  @Override
  int ask(StoreClient client) throws IOException {
    long end = System.nanoTime() + Duration.ofSeconds(deadlineSeconds).toNanos();
    List<String> open = new ArrayList<>(paths);
    for (String path : paths) {
      client.lineage().checkpoint(path); // all of them at once
    }
    while (!open.isEmpty()) {
      CheckpointPathResponse now = client.lineage().checkpoint(open.get(0));
      if (now.getLeft() == 0) {
        out()
            .printf(
                "%s: %d files are below, %d are being written%n",
                open.remove(0), now.getFiles(), now.getWriting());
      } else if (System.nanoTime() - end >= 0) {
        tellLeft(open.get(0), now);
        return 1;
      } else {
        LockSupport.parkNanos(POLL.toNanos());
      }
    }
    return 0;
  }

  private void tellLeft(String path, CheckpointPathResponse now) {
    err()
        .printf(
            "%s: %d of %d files are not below after %d s; they are copied all the same%n",
            path, now.getLeft(), now.getFiles(), deadlineSeconds);
    now.getFailedList()
        .forEach(file -> err().println(file.getPath() + ": " + LineageQueueCommand.failure(file)));
  }
}
