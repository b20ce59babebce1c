package dev.sailfish.cli.store;

import dev.sailfish.cli.StoreOptions;
import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.lineage.client.StoreAdmin;
import dev.sailfish.lineage.protocol.wire.DrainWorkerResponse;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish store decommission}. */
@Command(
    name = "decommission",
    description =
        "Has a worker take no new blocks and others copy what it alone has, and waits until it may"
            + " be stopped. Files are written and read meanwhile. Interrupting the command does not"
            + " end that; starting the worker again does.")
final class DecommissionCommand extends TerminalCommand {
  private static final Duration POLL = Duration.ofMillis(250);

  @Mixin private StoreOptions store;

  @Parameters(
      index = "0",
      paramLabel = "HOST:PORT",
      description = "The worker as a report shows it, or its number.")
  private String worker;

  @Option(
      names = "--restart",
      description =
          "It is going to be started again with the same directories: nothing is copied, only files"
              + " that are being written are waited for.")
  private boolean restart;

  @Option(
      names = "--deadline",
      paramLabel = "SECONDS",
      defaultValue = "3600",
      description = "How long to wait (default: ${DEFAULT-VALUE}); 0: only begin.")
  private long deadlineSeconds;

  @Override
  public Integer call() throws IOException {
    long end = System.nanoTime() + Duration.ofSeconds(deadlineSeconds).toNanos();
    try (StoreAdmin admin = new StoreAdmin(store.config())) {
      DrainWorkerResponse progress = admin.drain(worker, restart);
      String shown = "";
      while (!progress.getDrained() && System.nanoTime() - end < 0) {
        shown = show(progress, shown);
        LockSupport.parkNanos(POLL.toNanos());
        progress = admin.drain(worker, restart);
      }
      show(progress, shown);
      return progress.getDrained() || deadlineSeconds == 0 ? 0 : 1;
    } catch (IOException e) {
      throw new CommandException("Cannot drain " + worker + ": " + e.getMessage(), e);
    }
  }

  private String show(DrainWorkerResponse progress, String before) {
    String line =
        restart
            ? worker + " is drained: nobody writes to it; restart it now."
            : worker + " is drained: all that it has is elsewhere, too; stop it now.";
    if (!progress.getDrained()) {
      line =
          "%s is being drained: blocks left=%d of which are copied now=%d, files being written=%d"
              .formatted(
                  worker,
                  progress.getBlocksLeft(),
                  progress.getBlocksCopying(),
                  progress.getFilesWriting());
      line += progress.getObstacle().isEmpty() ? "" : "; " + progress.getObstacle();
    }
    if (!line.equals(before)) {
      out().println(line);
      out().flush();
    }
    return line;
  }
}
