package dev.sailfish.benchmarks.store.qfs;

import dev.sailfish.ground.config.HostPort;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * Brings a file to a QFS and back, by each client in turn, and prints a line for each time:
 *
 * <pre>
 *   QfsTransferMain HOST:PORT TOOLS|- MB COPIES ROUNDS DIRECTORY
 *   run CLIENT in|out ROUND SECONDS MB_S CPU_S
 * </pre>
 *
 * <p>The processor time is that of this process and of the tools that it has run. Each client has
 * done each once before; what each wrote is read by this project's client and compared at the end,
 * and what it wrote by the tools, if they take part.
 */
final class QfsTransferMain {
  private static final int PIECE_BYTES = 1_000_000;
  private static final double NS_PER_S = 1e9;
  private static final double MICROS_PER_S = 1e6;
  private static final int SEED = 20;

  /** User and system time of the process, then the same of its children, behind the name. */
  private static final int FIRST_CPU_FIELD = 11;

  private static final int CPU_FIELDS = 4;
  private static final double TICKS_PER_S = 100;

  private final int mb;
  private final Path local;
  private final List<Transfer> transfers = new ArrayList<>();
  private long sum;
  private final String remote = "/sailfish-bench-" + ProcessHandle.current().pid() + "-";

  private QfsTransferMain(int mb, Path directory) throws IOException {
    this.mb = mb;
    local = Files.createTempFile(directory, "sailfish-bench-", ".data");
  }

  public static void main(String[] arguments) throws IOException {
    HostPort metaserver = HostPort.parse(arguments[0]);
    int copies = Integer.parseInt(arguments[3]);
    QfsTransferMain main =
        new QfsTransferMain(Integer.parseInt(arguments[2]), Path.of(arguments[5]));
    try (ClientTransfer client = new ClientTransfer(metaserver, copies);
        HadoopTransfer hadoop = new HadoopTransfer(metaserver.toString(), copies)) {
      main.transfers.add(client);
      main.transfers.add(hadoop);
      ToolTransfer tools = null;
      if (!arguments[1].equals("-")) {
        tools =
            new ToolTransfer(Path.of(arguments[1]), metaserver.host(), metaserver.port(), copies);
        main.transfers.add(tools);
      }
      main.measure(Integer.parseInt(arguments[4]));
      main.verify(client, tools);
    } finally {
      Files.deleteIfExists(main.local);
    }
  }

  private static CRC32C fill(Path file, int mb) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    byte[] piece = new byte[PIECE_BYTES];
    CRC32C sum = new CRC32C();
    try (OutputStream output = Files.newOutputStream(file)) {
      for (int i = 0; i < mb; i++) {
        random.nextBytes(piece);
        sum.update(piece, 0, piece.length);
        output.write(piece);
      }
    }
    return sum;
  }

  private void measure(int rounds) throws IOException {
    sum = fill(local, mb).getValue();
    for (int round = 0; round <= rounds; round++) {
      List<Transfer> order = new ArrayList<>(transfers);
      if (round % 2 == 0) {
        Collections.reverse(order);
      }
      for (Transfer transfer : order) {
        String file = remote + transfer.name();
        timed(transfer, "in", round, () -> transfer.in(local, file));
        timed(transfer, "out", round, () -> transfer.out(file));
      }
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  /** Round 0 is not told: it is the one before. */
  private void timed(Transfer transfer, String work, int round, Step step) throws IOException {
    double cpuS = cpuS();
    long startNs = System.nanoTime();
    step.run();
    double seconds = (System.nanoTime() - startNs) / NS_PER_S;
    double usedS = cpuS() - cpuS;
    double mbS = (double) mb * PIECE_BYTES / MICROS_PER_S / seconds;
    System.out.printf(
        Locale.ROOT,
        "%s %s %s %d %.4f %.1f %.3f%n",
        round == 0 ? "before" : "run",
        transfer.name(),
        work,
        round,
        seconds,
        mbS,
        usedS);
    System.out.flush();
  }

  /** Of this process and of the children that have ended. */
  private static double cpuS() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    long ticks = 0;
    for (int i = FIRST_CPU_FIELD; i < FIRST_CPU_FIELD + CPU_FIELDS; i++) {
      ticks += Long.parseLong(fields[i]);
    }
    return ticks / TICKS_PER_S;
  }

  private void verify(ClientTransfer client, ToolTransfer tools) throws IOException {
    for (Transfer transfer : transfers) {
      String file = remote + transfer.name();
      require(file, client.sum(file));
      if (tools != null) {
        Path copy = Files.createTempFile(local.getParent(), "sailfish-bench-", ".copy");
        try {
          tools.out(file, Redirect.to(copy.toFile()));
          require(file, sum(copy));
        } finally {
          Files.delete(copy);
        }
      }
      client.remove(file);
    }
  }

  private void require(String file, long found) throws IOException {
    if (found != sum) {
      throw new IOException(
          "%s has the checksum %08x, and what was written %08x".formatted(file, found, sum));
    }
  }

  private static long sum(Path file) throws IOException {
    CRC32C sum = new CRC32C();
    byte[] piece = new byte[PIECE_BYTES];
    try (InputStream input = Files.newInputStream(file)) {
      for (int count = input.read(piece); count >= 0; count = input.read(piece)) {
        sum.update(piece, 0, count);
      }
    }
    return sum.getValue();
  }
}
