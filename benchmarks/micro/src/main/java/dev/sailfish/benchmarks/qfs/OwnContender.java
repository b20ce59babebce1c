package dev.sailfish.benchmarks.qfs;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.RecordCursor;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.imerger.Imerger;
import dev.sailfish.imerger.ImergerConfig;
import dev.sailfish.protocol.client.MetaserverClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Our own servers, in a process of their own: an I-file of one partition for each round. */
final class OwnContender implements Contender {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final long MERGER_MEMORY = 128L << 20;
  private static final KeyOrder ORDER = KeyOrder.normalized(KeyEncoding.RAW);

  private final Arguments arguments;
  private final Process servers;
  private final InetSocketAddress metaserver;
  private Imerger imerger;

  /** Starts the servers. */
  OwnContender(Arguments arguments) throws IOException {
    this.arguments = arguments;
    servers =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-Dsailfish.log.level=WARN",
                "-cp",
                System.getProperty("java.class.path"),
                ServersMain.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader out = servers.inputReader(StandardCharsets.US_ASCII);
    String port = out.readLine();
    if (port == null) {
      throw new IOException("our servers did not start; what they said is above");
    }
    metaserver = new InetSocketAddress("127.0.0.1", Integer.parseInt(port));
  }

  @Override
  public String name() {
    return "own";
  }

  @Override
  public Duration serverCpu() {
    return QfsContender.cpu(Optional.of(servers.toHandle()));
  }

  private static String job(int round) {
    return "job_1_" + (round + 1);
  }

  @Override
  public void append(int round, int map, byte[] records) throws IOException {
    IappenderConfig config =
        new IappenderConfig(
            metaserver, "127.0.0.1", "benchmark", 0, arguments.blockBytes(), 0, DEADLINE, 0);
    IfileSpec spec = new IfileSpec(job(round), 1, ORDER, CodecId.NONE, false, arguments.maps());
    RecordCursor cursor = new RecordCursor();
    cursor.reset(records, 0, records.length, false);
    try (Iappender appender = Iappender.open(config, spec, map, 0)) {
      while (cursor.next()) {
        appender.append(
            0,
            records,
            cursor.keyOffset(),
            cursor.keyLength(),
            records,
            cursor.valueOffset(),
            cursor.valueLength());
      }
      appender.commit();
    }
  }

  @Override
  public void sort(int round) throws IOException {
    ImergerConfig config =
        new ImergerConfig(
            metaserver, MERGER_MEMORY, Path.of(System.getProperty("java.io.tmpdir")), DEADLINE);
    int[] winners = new int[2 * arguments.maps()];
    for (int map = 0; map < arguments.maps(); map++) {
      winners[2 * map] = map;
    }
    imerger = Imerger.open(config, job(round), 0, ORDER, "benchmark");
    imerger.start(winners);
    if (!imerger.next()) {
      throw new IOException("there is no record in " + job(round));
    }
  }

  @Override
  public RecordCheck.Found finish(int round) throws IOException {
    RecordCheck check = new RecordCheck();
    do {
      check.add(
          imerger.keyBuffer(), imerger.keyOffset(), imerger.keyLength(), imerger.valueLength());
    } while (imerger.next());
    imerger.close();
    try (MetaserverClient client =
        MetaserverClient.connect(metaserver, "benchmark", Credentials.none(), DEADLINE)) {
      client.deleteJob(job(round));
    }
    return check.found();
  }

  @Override
  public void close() throws IOException {
    servers.getOutputStream().close();
    try {
      if (servers.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    servers.destroyForcibly();
  }
}
