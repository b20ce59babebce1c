package dev.sailfish.cli.inspect;

import dev.sailfish.format.Ordering;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.imerger.KeyRange;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * Prints the records of a partition, one per line: key, tab, value. Keys are in normalized form,
 * because only the job knows its key class; with the job's own comparator they are as serialized,
 * and the records come block by block, for nobody here knows their order.
 *
 * @param report which servers, and where to print
 * @param job id of the job
 * @param partition partition of the job
 * @param limit how many records to print at most
 * @param keys how keys are printed
 * @param values how values are printed
 */
public record IfileScan(
    IfileReport report, String job, int partition, long limit, Form keys, Form values) {
  /** How bytes are printed. */
  public enum Form {
    /** What is printable ASCII as it is, everything else as {@code \\xHH}. */
    TEXT,
    /** Two digits for each byte. */
    HEX;

    /** The name on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }

    private void append(StringBuilder line, byte[] bytes, int offset, int length) {
      if (this == HEX) {
        RecordText.hex(line, bytes, offset, length);
      } else {
        RecordText.escape(line, bytes, offset, length);
      }
    }
  }

  private static final long MEMORY_BYTES = 64L << 20;
  private static final int RECORDS_PER_CHECK = 1000;
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /**
   * Scans.
   *
   * @param winners pairs (map, attempt), or null for all attempts
   * @param lower first key, or null for the beginning
   * @param upper upper key, exclusive, or null for the end
   * @throws CommandException when the scan fails, or the job's comparator would be needed
   */
  public void print(int[] winners, byte[] lower, byte[] upper) {
    Metaservers metaservers = report.metaservers();
    KeyOrder order = order(lower != null || upper != null);
    try {
      Path spill = Files.createTempDirectory("sailfish-scan");
      try (Imerger reader =
          Imerger.open(
              new ImergerConfig(
                  metaservers.addresses(),
                  MEMORY_BYTES,
                  spill,
                  DEADLINE,
                  metaservers.credentials(),
                  metaservers.network()),
              job,
              partition,
              order,
              IfileReport.CALLER)) {
        KeyRange range = lower == null && upper == null ? null : new KeyRange(lower, upper);
        if (winners == null) {
          reader.startAll(range);
        } else {
          reader.startSome(winners, range);
        }
        print(reader);
      } finally {
        Files.deleteIfExists(spill);
      }
    } catch (IOException e) {
      throw new CommandException(
          "Cannot scan partition %d of %s: %s. bin/sailfish ifile ls %2$s %1$d shows its chunks."
              .formatted(partition, job, e.getMessage()),
          e);
    }
  }

  private KeyOrder order(boolean bounded) {
    int code = report.describe(job, partition).getSummary().getOrdering();
    if (code != Ordering.COMPARATOR.code()) {
      return KeyOrder.normalized(KeyEncoding.RAW);
    }
    if (bounded) {
      String only = "Job %s orders its keys with a comparator of its own, which its tasks have";
      throw new CommandException(only.formatted(job) + ": scan without --from and --to.");
    }
    return KeyOrder.of((left, leftAt, leftLength, right, rightAt, rightLength) -> 0);
  }

  private void print(Imerger reader) throws IOException {
    PrintWriter out = report.out();
    long records = 0;
    StringBuilder line = new StringBuilder();
    while (records < limit && reader.next()) {
      line.setLength(0);
      keys.append(line, reader.keyBuffer(), reader.keyOffset(), reader.keyLength());
      line.append('\t');
      values.append(line, reader.valueBuffer(), reader.valueOffset(), reader.valueLength());
      out.append(line.append('\n'));
      records++;
      if (records % RECORDS_PER_CHECK == 0 && out.checkError()) {
        break; // the reader of our output has had enough
      }
    }
    out.flush();
  }
}
