package dev.sailfish.lineage.client.lost;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.client.lost.LostFiles.Waiting;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.WantFileResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The wait of a reader for a lost file: says once a second that it waits, by which the file is made
 * again, until it is there. For one thread.
 */
public final class LostFileWait {
  private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(1);

  private final FileEntry file;
  private final LostFiles settings;
  private final Clock clock;
  private final Asking asking;
  private boolean isRecorded = true;
  private boolean isWaiting;
  private long beganNs;
  private long toldNs;

  /** Says to the master that a reader waits. */
  @FunctionalInterface
  public interface Asking {
    /**
     * Says it.
     *
     * @return how the file is; null: it is not recorded how it is made
     * @throws IOException also when the file was given up
     */
    WantFileResponse ask() throws IOException;
  }

  /**
   * @param file that is read
   */
  public LostFileWait(FileEntry file, LostFiles settings, Clock clock, Asking asking) {
    this.file = file;
    this.settings = settings;
    this.clock = clock;
    this.asking = asking;
  }

  /**
   * To be called when no worker gives a block: waits a little if the file is lost.
   *
   * @return whether it was, so that the block is to be looked for again; if not, the file cannot be
   *     made again, or is not lost as far as the master knows
   * @throws IOException when the file was given up, or was waited for as long as the settings say
   */
  public boolean waits() throws IOException {
    if (settings.longest().isZero() || !isRecorded) {
      return false;
    }
    WantFileResponse answer = asking.ask();
    isRecorded = answer != null;
    if (!isRecorded || !isLost(answer)) {
      isWaiting = false;
      return false;
    }
    long nowNs = clock.nanoTime();
    if (!isWaiting) {
      isWaiting = true;
      beganNs = nowNs;
      toldNs = nowNs;
    }
    Waiting waiting =
        new Waiting(
            file.getName(),
            file.getFid(),
            answer.getDependency(),
            answer.getProgress(),
            Duration.ofNanos(toldNs - beganNs),
            Duration.ofNanos(nowNs - beganNs));
    if (waiting.since().compareTo(settings.longest()) >= 0) {
      throw new IOException(waiting.text() + "; it is waited for no longer");
    }
    settings.listener().waits(waiting);
    toldNs = nowNs;
    long endNs = beganNs + settings.longest().toNanos();
    clock.pause(nowNs + Math.min(PERIOD_NS, endNs - nowNs), "for " + file.getName());
    return true;
  }

  private static boolean isLost(WantFileResponse answer) {
    return switch (answer.getState()) {
      case OUTPUT_LOST, OUTPUT_RECOMPUTING, OUTPUT_INTERRUPTED -> true;
      default -> false;
    };
  }
}
