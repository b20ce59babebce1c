package dev.sailfish.hadoop.lineage.recompute;

import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.hadoop.FilesById;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.OutputState;
import dev.sailfish.lineage.protocol.wire.Refusal;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Begins to write a lost file again, where that is needed still. */
public final class LostOutput {
  private static final Logger LOG = LoggerFactory.getLogger(LostOutput.class);

  /** How long an attempt before this one, which may be dead, may hold the file. */
  private static final Duration MOST_WAIT = Duration.ofMinutes(5);

  private static final Set<OutputState> AVAILABLE =
      EnumSet.of(OutputState.OUTPUT_STORED, OutputState.OUTPUT_BELOW, OutputState.OUTPUT_REVIVED);

  private static final Duration PERIOD = Duration.ofSeconds(1);

  private LostOutput() {}

  /**
   * Begins. Waits while somebody else writes the file, such as an attempt that the store does not
   * know to be dead yet.
   *
   * @param path for messages
   * @param progress told while it waits; may be null
   * @return what takes the bytes: nothing does when the file is there again
   */
  public static OutputStream begin(FilesById files, long fid, Path path, Progressable progress)
      throws IOException {
    long deadline = System.nanoTime() + MOST_WAIT.toNanos();
    while (true) {
      try {
        return files.recompute(fid, path);
      } catch (StoreRefusedException e) {
        OutputState state = state(files, fid);
        if (AVAILABLE.contains(state)) {
          LOG.info("{} is not lost any more: what this task writes is not needed", path);
          return OutputStream.nullOutputStream();
        }
        if (e.reason() != Refusal.Reason.NOT_WRITING) {
          throw e;
        }
        if (System.nanoTime() > deadline) {
          throw new IOException(
              "%s cannot be written again: for %s another client has been doing so (%s)"
                  .formatted(path, MOST_WAIT, state),
              e);
        }
      }
      if (progress != null) {
        progress.progress();
      }
      Network.SOCKETS.pause(System.nanoTime() + PERIOD.toNanos(), "a lost file to be free");
    }
  }

  private static OutputState state(FilesById files, long fid) throws IOException {
    return files.lineage().of(fid).getOutputsList().stream()
        .filter(output -> output.getFid() == fid)
        .map(DependencyOutput::getState)
        .findFirst()
        .orElse(OutputState.OUTPUT_UNKNOWN);
  }
}
