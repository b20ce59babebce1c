package dev.sailfish.web.source;

import dev.sailfish.ground.wire.Clock;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** Asks one source again and again, on a thread of its own. Thread-safe. */
public final class Poll implements Closeable {
  private static final Logger LOG = Logger.getLogger(Poll.class);

  private final Source source;
  private final Clock clock;
  private final Round round;
  private final ScheduledExecutorService thread;

  /** What is done each time. */
  @FunctionalInterface
  public interface Round {
    /**
     * Asks, on the poll's thread; each wait has a deadline.
     *
     * @throws IOException when the source did not answer; the next round asks again
     */
    void run() throws IOException;
  }

  /**
   * Begins at once.
   *
   * @param source is told of each round
   * @param period between the end of a round and the next one
   */
  public Poll(Source source, Clock clock, Duration period, Round round) {
    this.source = source;
    this.clock = clock;
    this.round = round;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread made = new Thread(work, "poll-" + source.view().name());
              made.setDaemon(true);
              return made;
            });
    thread.scheduleWithFixedDelay(this::once, 0, period.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void once() {
    SourceView before = source.view();
    boolean failedBefore = before.error() != null;
    try {
      round.run();
      source.heard(clock.wallMs());
      if (failedBefore && before.heardMs() != null) {
        LOG.infof("%s answers", before.name());
      }
    } catch (IOException e) {
      if (!failedBefore) {
        LOG.warnf("%s does not answer, asking again: %s", before.name(), sentence(e));
      }
      source.failed(sentence(e));
    } catch (RuntimeException | Error e) {
      // Nobody would say that there are no rounds any more. Where memory is out the process ends.
      LOG.errorf(e, "a round of %s failed, the next one begins anew", before.name());
      source.failed("what it answers cannot be used: " + e);
    }
  }

  /** What went wrong, for people. */
  static String sentence(IOException failure) {
    String message = failure.getMessage();
    return message == null ? failure.toString() : message;
  }

  /** No further round begins. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
