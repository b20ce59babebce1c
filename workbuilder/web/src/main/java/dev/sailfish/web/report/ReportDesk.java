package dev.sailfish.web.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.ground.wire.secret.HmacSha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/**
 * Takes reports of ApplicationMasters. A report bears {@code hex(HMAC-SHA256(key,
 * "sailfish-report\n" + job + "\n" + body))}, with the access key that the metaserver has for the
 * job. Thread-safe.
 */
public final class ReportDesk {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CONTEXT = "sailfish-report\n";
  private static final int VERSION = 1;
  private static final int KEYS = 1000;
  private static final Pattern JOB = Pattern.compile("[A-Za-z0-9_.~-]{1,200}");

  private final Keys keys;
  private final boolean open;
  private final Taker taker;
  private final Known newest;
  private final Map<String, byte[]> known =
      Collections.synchronizedMap(
          new LinkedHashMap<String, byte[]>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) {
              return size() > KEYS;
            }
          });
  private final LongAdder taken = new LongAdder();
  private final LongAdder refused = new LongAdder();

  /** Knows the access keys of jobs. Thread-safe. */
  @FunctionalInterface
  public interface Keys {
    /**
     * The key of a job; empty when nobody knows the job (any more). Waits for the metaserver.
     *
     * @throws IOException when the metaserver does not answer
     */
    Optional<byte[]> of(String job) throws IOException;
  }

  /** Gets reports that are good. Thread-safe. */
  @FunctionalInterface
  public interface Taker {
    /** Keeps the report; {@code job} is its id at the metaserver. Does not wait. */
    void take(String job, AmReport report);
  }

  /** Knows which reports were kept. Thread-safe. */
  @FunctionalInterface
  public interface Known {
    /**
     * Whether this report of a job, or a later one, is kept; {@code job} is its id at the
     * metaserver. Does not wait.
     */
    boolean has(String job, LastReport last);
  }

  /**
   * @param open whether reports need no signature, as nobody is authenticated
   */
  public ReportDesk(Keys keys, boolean open, Taker taker, Known newest) {
    this.newest = newest;
    this.keys = keys;
    this.open = open;
    this.taker = taker;
  }

  /**
   * Takes a report.
   *
   * @param job its id at the metaserver
   * @param signature 64 hexadecimal digits; null: there is none
   * @param body JSON in UTF-8; not changed
   * @throws ReportRefusedException when it is not taken; nothing has changed then
   */
  public void take(String job, String signature, byte[] body) throws ReportRefusedException {
    try {
      admit(job, signature, body);
      taker.take(job, parsed(job, body));
      taken.increment();
    } catch (ReportRefusedException e) {
      refused.increment();
      throw e;
    }
  }

  /**
   * Whether the last report of an ApplicationMaster is known: after its start this process knows
   * none, and it is to be sent again.
   *
   * @param signature as of a report
   * @param body a {@link LastReport} as JSON in UTF-8; not changed
   * @throws ReportRefusedException when there is no answer for who asks
   */
  public boolean knows(String job, String signature, byte[] body) throws ReportRefusedException {
    try {
      admit(job, signature, body);
      LastReport last = JSON.readValue(body, LastReport.class);
      if (last == null) {
        throw new ReportRefusedException(
            ReportRefusedException.Reason.WRONG, "the body names no report");
      }
      return newest.has(job, last);
    } catch (IOException e) {
      throw new ReportRefusedException(
          ReportRefusedException.Reason.WRONG, "the body names no report: " + firstLine(e));
    }
  }

  private void admit(String job, String signature, byte[] body) throws ReportRefusedException {
    if (!JOB.matcher(job).matches()) {
      throw new ReportRefusedException(
          ReportRefusedException.Reason.WRONG, "the path does not name a job");
    }
    if (!open) {
      check(job, signature, body);
    }
  }

  private void check(String job, String signature, byte[] body) throws ReportRefusedException {
    byte[] given = digits(signature);
    byte[] context = (CONTEXT + job + "\n").getBytes(StandardCharsets.UTF_8);
    Optional<byte[]> key = key(job);
    if (key.isEmpty() || !HmacSha256.same(HmacSha256.of(key.get(), context, body), given)) {
      throw new ReportRefusedException(
          ReportRefusedException.Reason.UNKNOWN,
          "no job of this id has signed the report: the header Sailfish-Signature is made with the"
              + " job's access key");
    }
    // The last report comes when the metaserver has forgotten the job.
    known.put(job, key.get());
  }

  private Optional<byte[]> key(String job) throws ReportRefusedException {
    byte[] kept = known.get(job);
    if (kept != null) {
      return Optional.of(kept);
    }
    try {
      return keys.of(job);
    } catch (IOException e) {
      throw new ReportRefusedException(
          ReportRefusedException.Reason.LATER,
          "the metaserver cannot be asked for the job's key: " + e.getMessage());
    }
  }

  private static byte[] digits(String signature) {
    try {
      return signature == null ? new byte[0] : HexFormat.of().parseHex(signature);
    } catch (IllegalArgumentException e) {
      return new byte[0]; // no digits: it is nobody's signature
    }
  }

  private static AmReport parsed(String job, byte[] body) throws ReportRefusedException {
    AmReport report;
    try {
      report = JSON.readValue(body, AmReport.class);
    } catch (IOException e) {
      throw new ReportRefusedException(
          ReportRefusedException.Reason.WRONG, "the body is no report: " + firstLine(e));
    }
    if (report == null || report.version() != VERSION) {
      throw new ReportRefusedException(
          ReportRefusedException.Reason.WRONG,
          "the report has another version than " + VERSION + ": use releases that go together");
    }
    if (report.events().size() > AmReport.MOST_EVENTS) {
      throw new ReportRefusedException(
          ReportRefusedException.Reason.WRONG,
          "the report of " + job + " has over " + AmReport.MOST_EVENTS + " events");
    }
    return report;
  }

  private static String firstLine(IOException failure) {
    String message = String.valueOf(failure.getMessage());
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }

  /** How many reports were taken. */
  public long taken() {
    return taken.sum();
  }

  /** How many were not. */
  public long refused() {
    return refused.sum();
  }
}
