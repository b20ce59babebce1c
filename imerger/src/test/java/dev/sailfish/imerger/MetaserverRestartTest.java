package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.order.KeyEncoding;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.iappender.Iappender;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.iappender.IfileSpec;
import dev.sailfish.metaserver.MetaserverMain;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.protocol.client.MetaserverClient;
import dev.sailfish.testkit.ChildJvm;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Metaservers as processes that are killed as by kill -9, in the middle of what iappenders and
 * imergers do with a chunkserver that runs on.
 */
@Timeout(300)
class MetaserverRestartTest {
  private static final Duration DEADLINE = Duration.ofSeconds(90);
  private static final int PARTITIONS = 2;
  private static final IfileSpec SPEC =
      new IfileSpec("job_7_1", PARTITIONS, KeyOrder.normalized(KeyEncoding.RAW), CodecId.NONE);

  @TempDir private Path directory;
  private Path secret;
  private Credentials cluster;
  private Credentials task;

  private final Map<Integer, Process> processes = new HashMap<>();
  private final List<Integer> ports = new ArrayList<>();
  private String peers = "";
  private Chunkserver chunkserver;

  /** What was appended, sorted, per partition. */
  private final List<Map<String, String>> appended = List.of(new TreeMap<>(), new TreeMap<>());

  private void startServers(int metaservers) throws IOException {
    secret = directory.resolve("secret");
    ClusterSecret.create(secret);
    byte[] clusterSecret = ClusterSecret.read("secret", secret);
    cluster = Credentials.ofCluster(clusterSecret);
    byte[] taskSecret = "secret of the job".getBytes(StandardCharsets.US_ASCII);
    task = Credentials.ofJob(SPEC.job(), taskSecret).admittedBy(clusterSecret, "test");
    List<String> listed = new ArrayList<>();
    for (int i = 0; i < metaservers; i++) {
      ports.add(FreePort.next());
      listed.add("m" + i + "=127.0.0.1:" + ports.get(i));
    }
    peers = metaservers == 1 ? "" : String.join(",", listed);
    for (int i = 0; i < metaservers; i++) {
      startMetaserver(i);
    }
    String addresses = String.join(",", ports.stream().map(port -> "127.0.0.1:" + port).toList());
    String name = ChunkserverConfig.PREFIX;
    chunkserver =
        Chunkserver.start(
            ChunkserverConfig.of(
                Map.ofEntries(
                    Map.entry(name + "host", "127.0.0.1"),
                    Map.entry(name + "bind", "127.0.0.1"),
                    Map.entry(name + "port", "0"),
                    Map.entry(name + "web.port", "0"),
                    Map.entry(name + "cluster.secret.file", secret.toString()),
                    Map.entry(name + "heartbeat", "200ms"),
                    Map.entry(name + "metaserver.address", addresses),
                    Map.entry(name + "memory.dir", directory.resolve("memory").toString()),
                    Map.entry(name + "memory.size", "128m"),
                    Map.entry(name + "growth", "64k"),
                    Map.entry(name + "sorter.memory", "64m"))));
    awaitRegistration();
  }

  private void startMetaserver(int number) throws IOException {
    String prefix = "sailfish.metaserver.";
    String properties =
        prefix
            + "host=127.0.0.1\n"
            + prefix
            + "port="
            + ports.get(number)
            + "\n"
            + prefix
            + "web.port=0\n"
            + prefix
            + "cluster.secret.file="
            + secret
            + "\n"
            + prefix
            + "journal.dir="
            + directory.resolve("journal" + number)
            + "\n"
            + (peers.isEmpty() ? "" : prefix + "peer=m" + number + "\n")
            + prefix
            + "peers="
            + peers
            + "\n";
    Path file = Files.writeString(directory.resolve("metaserver" + number), properties);
    processes.put(
        number,
        new ProcessBuilder(
                ChildJvm.command(MetaserverMain.class, List.of("-Xmx256m"), file.toString()))
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(
                    directory.resolve("metaserver" + number + ".log").toFile()))
            .start());
  }

  private void kill(int number) throws InterruptedException {
    Process process = processes.remove(number);
    process.destroyForcibly();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  @AfterEach
  void stop() throws IOException, InterruptedException {
    for (int number : List.copyOf(processes.keySet())) {
      kill(number);
    }
    if (chunkserver != null) {
      chunkserver.close();
    }
  }

  private List<InetSocketAddress> addresses() {
    return ports.stream().map(port -> new InetSocketAddress("127.0.0.1", port)).toList();
  }

  /** The number of the metaserver that leads and knows the chunkserver. */
  private int awaitRegistration() {
    int[] leader = {-1};
    await()
        .atMost(DEADLINE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              for (int number : processes.keySet()) {
                if (leads(number)) {
                  leader[0] = number;
                }
              }
              return leader[0] >= 0;
            });
    return leader[0];
  }

  private boolean leads(int number) throws IOException {
    try (MetaserverClient client =
        MetaserverClient.connect(addresses().get(number), "test", cluster, DEADLINE)) {
      Map<String, Long> counters = client.status().getCountersMap();
      return counters.get(MetaserverMetric.LEADS.fullName()) == 1
          && counters.get(MetaserverMetric.CHUNKSERVERS_LIVE.fullName()) == 1;
    }
  }

  private IappenderConfig appenderConfig() {
    return new IappenderConfig(
        addresses(), "127.0.0.1", "test", 8 << 20, 16 << 10, 0, DEADLINE, 1 << 20, task);
  }

  private void append(Iappender appender, int map, int first, int count) throws IOException {
    for (int i = first; i < first + count; i++) {
      String key = String.format("m%02d-%06d", map, i);
      byte[] bytes = key.getBytes(StandardCharsets.US_ASCII);
      byte[] value = (key + " value").getBytes(StandardCharsets.US_ASCII);
      int partition = i % PARTITIONS;
      appender.append(partition, bytes, 0, bytes.length, value, 0, value.length);
      appended.get(partition).put(key, key + " value");
    }
  }

  private void appendAll(int map) throws IOException {
    try (Iappender appender = Iappender.open(appenderConfig(), SPEC, map, 0)) {
      append(appender, map, 0, 2_000);
      appender.commit();
    }
  }

  private void checkAll(int maps) throws IOException {
    int[] winners = new int[2 * maps];
    for (int map = 0; map < maps; map++) {
      winners[2 * map] = map;
    }
    ImergerConfig config =
        new ImergerConfig(addresses(), 8 << 20, directory.resolve("spill"), DEADLINE, task);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      try (Imerger imerger =
          Imerger.open(config, SPEC.job(), partition, SPEC.order(), "reduce " + partition)) {
        imerger.start(winners);
        for (Map.Entry<String, String> record : appended.get(partition).entrySet()) {
          assertThat(imerger.next()).isTrue();
          assertThat(text(imerger.keyBuffer(), imerger.keyOffset(), imerger.keyLength()))
              .isEqualTo(record.getKey());
          assertThat(text(imerger.valueBuffer(), imerger.valueOffset(), imerger.valueLength()))
              .isEqualTo(record.getValue());
        }
        assertThat(imerger.next()).isFalse();
      }
    }
  }

  private static String text(byte[] bytes, int offset, int length) {
    return new String(bytes, offset, length, StandardCharsets.US_ASCII);
  }

  @Test
  void aJobGoesOnOverRestarts() throws Exception {
    startServers(1);
    appendAll(0);
    try (Iappender appender = Iappender.open(appenderConfig(), SPEC, 1, 0)) {
      append(appender, 1, 0, 20_000);
      kill(0);
      append(appender, 1, 20_000, 1_000);
      startMetaserver(0);
      append(appender, 1, 21_000, 60_000);
      appender.commit();
    }
    kill(0);
    startMetaserver(0);
    awaitRegistration();
    appendAll(2);
    kill(0);
    startMetaserver(0);
    checkAll(3);
  }

  @Test
  void aJobGoesOnWhenTheLeaderIsKilled() throws Exception {
    startServers(3);
    appendAll(0);
    try (Iappender appender = Iappender.open(appenderConfig(), SPEC, 1, 0)) {
      append(appender, 1, 0, 20_000);
      kill(awaitRegistration());
      append(appender, 1, 20_000, 60_000);
      appender.commit();
    }
    appendAll(2);
    checkAll(3);
  }
}
