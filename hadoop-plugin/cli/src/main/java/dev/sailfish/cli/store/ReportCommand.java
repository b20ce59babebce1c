package dev.sailfish.cli.store;

import dev.sailfish.cli.StoreOptions;
import dev.sailfish.cli.TerminalCommand;
import dev.sailfish.cli.TextTable;
import dev.sailfish.lineage.client.StoreAdmin;
import dev.sailfish.lineage.protocol.wire.CheckpointReport;
import dev.sailfish.lineage.protocol.wire.ReportResponse;
import dev.sailfish.lineage.protocol.wire.WorkerReport;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sailfish store report}. */
@Command(
    name = "report",
    description = {
      "Prints workers, how full their tiers are, how many files there are, and a sentence for"
          + " whatever is wrong.",
      "Exit code 0 if nothing is, else 3."
    })
final class ReportCommand extends TerminalCommand {
  private static final int UNHEALTHY = 3;
  private static final Duration POLL = Duration.ofMillis(200);
  private static final List<String> TIERS = List.of("MEM", "SSD", "HDD");

  @Mixin private StoreOptions store;

  @Option(
      names = "--deadline",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "How long the master may look through all files for blocks that are nowhere (default:"
              + " ${DEFAULT-VALUE}).")
  private long deadlineSeconds;

  @Override
  public Integer call() throws IOException {
    long end = System.nanoTime() + Duration.ofSeconds(deadlineSeconds).toNanos();
    try (StoreAdmin admin = new StoreAdmin(store.config())) {
      ReportResponse report = admin.report();
      while (!report.getLooked() && System.nanoTime() - end < 0) {
        LockSupport.parkNanos(POLL.toNanos());
        report = admin.report();
      }
      print(report);
      return report.getUnhealthyCount() == 0 ? 0 : UNHEALTHY;
    } catch (IOException e) {
      throw new CommandException("The store says nothing: " + e.getMessage(), e);
    }
  }

  private void print(ReportResponse report) {
    TextTable table =
        new TextTable("worker|number|tier|used MiB|capacity MiB|blocks|writing|state");
    for (WorkerReport worker : report.getWorkersList()) {
      add(table, worker);
    }
    out().print(table.render());
    out()
        .printf(
            "files and directories: %d, being written: %d; copies of blocks: %d%n",
            report.getNames(), report.getWriting(), report.getCopies());
    out()
        .printf(
            "quotas: %d; files with a time to live: %d; pins: %d%n",
            report.getQuotas(), report.getExpiries(), report.getPins());
    print(report.getCheckpoints());
    if (report.getSynchronous()) {
      out()
          .println(
              "sync-mode: on; new files under mounts are written through, until `sailfish lineage"
                  + " sync-mode off`");
    }
    if (!report.getLooked()) {
      out().println("Not all files were looked at in time for blocks that are nowhere: ask again.");
    }
    report.getUnhealthyList().forEach(line -> out().println("UNHEALTHY: " + line));
    out().flush();
  }

  private void print(CheckpointReport now) {
    out()
        .printf(
            "to be copied below: %d files, %d MiB, the oldest for %d s; copied: %d files, %d MiB;"
                + " deleted before their turn: %d MiB%n",
            now.getFiles(),
            mib(now.getBytes()),
            Duration.ofMillis(now.getOldestMs()).toSeconds(),
            now.getCheckpointedFiles(),
            mib(now.getCheckpointedBytes()),
            mib(now.getSparedBytes()));
    if (now.getEdgeMs() > 0) {
      out()
          .printf(
              "the present edge takes about %d s to be written or made again%n",
              Duration.ofMillis(now.getEdgeMs()).toSeconds());
    }
    if (!now.getLooked()) {
      out().println("The master does not know all lineage records yet: ask again.");
    }
  }

  private static void add(TextTable table, WorkerReport worker) {
    String name = worker.getAddress().getHost() + ":" + worker.getAddress().getPort();
    String state = worker.getDraining() ? "draining" : "serves";
    boolean isFirst = true;
    for (int tier = 0; tier < worker.getCapacityBytesCount(); tier++) {
      if (worker.getCapacityBytes(tier) > 0) {
        table.add(
            isFirst ? name : "",
            isFirst ? worker.getAddress().getNumber() : "",
            TIERS.get(tier),
            mib(worker.getUsedBytes(tier)),
            mib(worker.getCapacityBytes(tier)),
            isFirst ? worker.getBlocks() : "",
            isFirst ? worker.getBlocksWriting() : "",
            isFirst ? state : "");
        isFirst = false;
      }
    }
    if (isFirst) {
      table.add(name, worker.getAddress().getNumber(), "?", "?", "?", "?", "?", "not heard yet");
    }
  }

  private static long mib(long bytes) {
    return bytes >> 20;
  }
}
