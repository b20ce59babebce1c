package dev.sailfish.cli.store;

import dev.sailfish.cli.StoreOptions;
import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.ground.config.Notation;
import dev.sailfish.lineage.client.StoreAdmin;
import dev.sailfish.lineage.protocol.wire.BalanceResponse;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sailfish store balance}. */
@Command(
    name = "balance",
    description =
        "Moves blocks from fuller workers to emptier ones until all are about equally full. Files"
            + " are written and read meanwhile. Ends with what is on its way when it is"
            + " interrupted.")
final class BalanceCommand extends TerminalCommand {
  private static final Duration STEP = Duration.ofSeconds(1);

  @Mixin private StoreOptions store;

  @Option(
      names = "--threshold",
      paramLabel = "PERCENT",
      defaultValue = "10",
      description =
          "How much the use of two workers may differ, in hundredths of their capacity (default:"
              + " ${DEFAULT-VALUE}).")
  private int threshold;

  @Option(
      names = "--rate",
      paramLabel = "SIZE",
      defaultValue = "100m",
      description = "How much is moved in a second, at most (default: ${DEFAULT-VALUE}).")
  private String rate;

  @Option(
      names = "--deadline",
      paramLabel = "SECONDS",
      defaultValue = "86400",
      description = "How long to go on (default: ${DEFAULT-VALUE}).")
  private long deadlineSeconds;

  @Override
  public Integer call() throws IOException {
    long bytes = Notation.size(rate);
    if (bytes <= 0) {
      throw wrongArguments("--rate is '" + rate + "': write, for instance, 50m or 1g");
    }
    if (threshold < 1 || threshold > 100) {
      throw wrongArguments("--threshold is " + threshold + ", which is not from 1 to 100");
    }
    long end = System.nanoTime() + Duration.ofSeconds(deadlineSeconds).toNanos();
    long moved = 0;
    try (StoreAdmin admin = new StoreAdmin(store.config())) {
      BalanceResponse progress = admin.balance(threshold, bytes);
      while (!progress.getBalanced() && System.nanoTime() - end < 0) {
        moved += progress.getMovedBytes();
        show(progress, moved);
        LockSupport.parkNanos(STEP.toNanos());
        progress = admin.balance(threshold, bytes);
      }
      moved += progress.getMovedBytes();
      show(progress, moved);
      return progress.getBalanced() ? 0 : 1;
    } catch (IOException e) {
      throw new CommandException("Cannot balance: " + e.getMessage(), e);
    }
  }

  private void show(BalanceResponse progress, long moved) {
    out()
        .printf(
            "fullest=%d%% emptiest=%d%% moved=%d MiB%s%n",
            progress.getFullest(),
            progress.getEmptiest(),
            moved >> 20,
            progress.getBalanced() ? ": nothing more to move" : "");
    out().flush();
  }
}
