package dev.sailfish.cli;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.protocol.wire.DrainResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sailfish drain HOST:PORT}. */
@Command(
    name = "drain",
    description =
        "Has a chunkserver hand its chunks over to others, and waits until it may be stopped. Jobs"
            + " go on meanwhile. Interrupting the command does not end the draining.")
final class DrainCommand extends TerminalCommand {
  private static final Duration REPLY = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(200);

  @Mixin private MetaserverOptions metaserver;

  @Parameters(
      index = "0",
      paramLabel = "HOST:PORT",
      description = "The chunkserver, as status shows it, or its id.")
  private String server;

  @Option(
      names = "--deadline",
      paramLabel = "SECONDS",
      defaultValue = "3600",
      description = "How long to wait (default: ${DEFAULT-VALUE}); 0: only begin.")
  private long deadlineSeconds;

  @Override
  public Integer call() {
    PrintWriter out = out();
    long end = System.nanoTime() + Duration.ofSeconds(deadlineSeconds).toNanos();
    try (MetaserverClient client = metaserver.metaservers().connect("sailfish drain", REPLY)) {
      DrainResponse progress = client.drain(server);
      String shown = "";
      while (!progress.getDrained() && System.nanoTime() - end < 0) {
        shown = show(out, progress, shown);
        LockSupport.parkNanos(POLL.toNanos());
        progress = client.drain(server);
      }
      show(out, progress, shown);
      return progress.getDrained() || deadlineSeconds == 0 ? 0 : 1;
    } catch (IOException e) {
      throw new CommandException("Cannot drain " + server + ": " + e.getMessage(), e);
    }
  }

  private String show(PrintWriter out, DrainResponse progress, String before) {
    String line =
        progress.getDrained()
            ? server + " is drained: no job needs it, stop it now."
            : "%s is drained: chunks left=%d of which are copied now=%d"
                .formatted(server, progress.getChunksLeft(), progress.getChunksCopying());
    if (!line.equals(before)) {
      out.println(line);
      out.flush();
    }
    return line;
  }
}
