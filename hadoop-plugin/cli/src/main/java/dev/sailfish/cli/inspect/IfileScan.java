package dev.sailfish.cli.inspect;

import dev.sailfish.format.KeyEncoding;
import dev.sailfish.format.KeyOrder;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.imerger.IfileScanner;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Prints the records of a partition, one per line: key, tab, value. Keys are in normalized form,
 * because only the job knows its key class; with the job's own comparator they are as serialized,
 * and the records come block by block, for nobody here knows their order.
 *
 * @param network leads to the servers
 * @param metaservers where to ask
 * @param credentials prove that the caller may ask
 * @param job id of the job
 * @param partition partition of the job
 * @param limit how many records to print at most
 * @param hex whether to print hexadecimal digits instead of text
 */
public record IfileScan(
    Network network,
    List<InetSocketAddress> metaservers,
    Credentials credentials,
    String job,
    int partition,
    long limit,
    boolean hex) {
  private static final long MEMORY_BYTES = 64L << 20;
  private static final int RECORDS_PER_CHECK = 1000;
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /**
   * Scans.
   *
   * @param lower first key, or null for the beginning
   * @param upper key behind the last, or null for the end
   * @return how many records were printed
   * @throws CommandException when the scan fails, or the job's comparator would be needed
   */
  public long print(PrintWriter out, byte[] lower, byte[] upper) {
    KeyOrder order = order(out, lower != null || upper != null);
    try {
      Path spill = Files.createTempDirectory("sailfish-scan");
      try (IfileScanner scanner =
          IfileScanner.open(
              new ImergerConfig(metaservers, MEMORY_BYTES, spill, DEADLINE, credentials, network),
              job,
              partition,
              order,
              IfileReport.CALLER)) {
        scanner.scan(lower, upper);
        return print(out, scanner);
      } finally {
        Files.deleteIfExists(spill);
      }
    } catch (IOException e) {
      throw new CommandException(
          "Cannot scan partition "
              + partition
              + " of "
              + job
              + ": "
              + e.getMessage()
              + ". See bin/sailfish ifile ls "
              + job
              + " "
              + partition
              + " for its chunks and their servers.",
          e);
    }
  }

  private KeyOrder order(PrintWriter out, boolean bounded) {
    int code =
        new IfileReport(network, metaservers, credentials, out)
            .describe(job, partition)
            .getSummary()
            .getOrdering();
    if (code != Ordering.COMPARATOR.code()) {
      return KeyOrder.normalized(KeyEncoding.RAW);
    }
    if (bounded) {
      throw new CommandException(
          "Job "
              + job
              + " orders its keys with a comparator of its own, which only its tasks have: scan"
              + " without --from and --to.");
    }
    return KeyOrder.of((left, leftAt, leftLength, right, rightAt, rightLength) -> 0);
  }

  private long print(PrintWriter out, IfileScanner scanner) throws IOException {
    long records = 0;
    StringBuilder line = new StringBuilder();
    while (records < limit && scanner.next()) {
      line.setLength(0);
      append(line, scanner.keyBuffer(), scanner.keyOffset(), scanner.keyLength());
      line.append('\t');
      append(line, scanner.valueBuffer(), scanner.valueOffset(), scanner.valueLength());
      out.append(line.append('\n'));
      records++;
      if (records % RECORDS_PER_CHECK == 0 && out.checkError()) {
        break; // whoever reads our output has had enough
      }
    }
    out.flush();
    return records;
  }

  private void append(StringBuilder line, byte[] bytes, int offset, int length) {
    if (hex) {
      RecordText.hex(line, bytes, offset, length);
    } else {
      RecordText.escape(line, bytes, offset, length);
    }
  }
}
