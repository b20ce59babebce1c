package dev.sailfish.ground.server.guard;

import dev.sailfish.ground.wire.Clock;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * What is wrong around a daemon for as long as it lasts, such as an address that leads nowhere: a
 * WARN when it begins, another one each minute while it lasts, an INFO when it is over; and in
 * between what the web pages tell. Topics are a few fixed words of the daemon's code, never input.
 * May be used from any thread.
 */
public final class StandingWarnings {
  private static final long REPEAT_NS = TimeUnit.MINUTES.toNanos(1);

  private final Logger log;
  private final Clock clock;
  private final Map<String, Standing> standing = new TreeMap<>();

  /** One thing that is wrong. */
  private static final class Standing {
    private final String sentence;
    private String detail;
    private long loggedNs;

    Standing(String sentence) {
      this.sentence = sentence;
    }

    String text() {
      return detail.isEmpty() ? sentence : sentence + ": " + detail;
    }
  }

  /**
   * @param clock of when a warning is repeated
   */
  public StandingWarnings(Logger log, Clock clock) {
    this.log = log;
    this.clock = clock;
  }

  /**
   * Something is wrong, or still is.
   *
   * @param sentence what, and what to do; another one than before is logged at once
   * @param detail what differs from time to time, such as the last error; empty when there is none
   */
  public synchronized void raise(String topic, String sentence, String detail) {
    Standing known = standing.get(topic);
    if (known != null && known.sentence.equals(sentence)) {
      known.detail = detail;
      return;
    }
    Standing fresh = new Standing(sentence);
    fresh.detail = detail;
    fresh.loggedNs = clock.nanoTime();
    standing.put(topic, fresh);
    log.warn("{}", fresh.text());
  }

  /** It is not wrong any more, or never was. */
  public synchronized void clear(String topic) {
    Standing over = standing.remove(topic);
    if (over != null) {
      log.info("no longer so: {}", over.sentence);
    }
  }

  /** Says again what was said a minute ago or longer; to be called every few seconds. */
  public synchronized void repeat() {
    long nowNs = clock.nanoTime();
    for (Standing one : standing.values()) {
      if (nowNs - one.loggedNs >= REPEAT_NS) {
        one.loggedNs = nowNs;
        log.warn("still so: {}", one.text());
      }
    }
  }

  /** How many things are wrong now. */
  public synchronized long count() {
    return standing.size();
  }

  /** What is wrong now, by topic; a new map. */
  public synchronized Map<String, String> texts() {
    Map<String, String> texts = new TreeMap<>();
    standing.forEach((topic, one) -> texts.put(topic, one.text()));
    return texts;
  }
}
