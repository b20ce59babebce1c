package dev.sailfish.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.cli.Sailfish;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command against a real master and real workers, and against what they leave. */
@Timeout(120)
class StoreCommandTest {
  private static final int FILE_BYTES = 100_000;

  @TempDir private Path directory;
  private final List<LineageWorker> workers = new ArrayList<>();
  private final int port = FreePort.next();
  private LineageMaster master;
  private Path secret;
  private String said = "";

  @BeforeEach
  void start() throws IOException {
    System.setProperty(Distribution.ROOT_PROPERTY, directory.toString());
    secret = directory.resolve("secret");
    ClusterSecret.create(secret);
    master = LineageMaster.start(Settings.read(masterFile()));
    startWorker(1);
  }

  @AfterEach
  void stop() throws IOException {
    for (LineageWorker worker : workers) {
      worker.close();
    }
    workers.clear();
    if (master != null) {
      master.close();
      master = null;
    }
    System.clearProperty(Distribution.ROOT_PROPERTY);
  }

  private Path write(String name, String prefix, Map<String, Object> values) throws IOException {
    return Files.write(
        directory.resolve(name + ".properties"),
        values.entrySet().stream().map(e -> prefix + e.getKey() + "=" + e.getValue()).toList());
  }

  private Path masterFile() throws IOException {
    return write(
        "master",
        "sailfish.lineage.master.",
        Map.of(
            "host",
            "127.0.0.1",
            "port",
            port,
            "web.port",
            "0",
            "cluster.secret.file",
            secret,
            "worker.lease",
            "5s",
            "journal.dir",
            directory.resolve("journal")));
  }

  private Path workerFile(int number) throws IOException {
    return write(
        "worker-" + number,
        "sailfish.lineage.worker.",
        Map.of(
            "host",
            "127.0.0.1",
            "bind",
            "127.0.0.1",
            "port",
            "0",
            "web.port",
            "0",
            "cluster.secret.file",
            secret,
            "heartbeat",
            "50ms",
            "master.address",
            "127.0.0.1:" + port,
            "dirs",
            directory.resolve("blocks-" + number) + ":capacity=20m"));
  }

  private void startWorker(int number) throws IOException {
    LineageWorker worker = LineageWorker.start(Settings.read(workerFile(number)));
    workers.add(worker);
    await("the master knows the worker")
        .atMost(Duration.ofSeconds(30))
        .until(() -> worker.metrics().get("sailfish_lineage_worker_heartbeats_total") > 1);
  }

  private void writeFile(String path) throws IOException {
    StoreClientConfig config =
        new StoreClientConfig(
            List.of(new InetSocketAddress("127.0.0.1", port)),
            Network.SOCKETS,
            Credentials.ofCluster(ClusterSecret.read("secret", secret)),
            StoreUser.newBuilder().setName("root").setSuperuser(true).build(),
            Set.of(),
            StoreClientConfig.DEFAULT_BUFFER_BYTES,
            Duration.ofSeconds(30));
    CreateFile file =
        CreateFile.newBuilder()
            .setPath(path)
            .setMode(0644)
            .setMakeParents(true)
            .setParentMode(0755)
            .setBlockSizeLog(20)
            .build();
    try (StoreClient client = new StoreClient(config);
        FileOutput out = client.create(file)) {
      out.write(new byte[FILE_BYTES]);
    }
  }

  private int offline(String... arguments) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text, true);
    List<String> all = new ArrayList<>(List.of("store"));
    all.addAll(List.of(arguments));
    int code =
        Sailfish.commandLine("store").setOut(out).setErr(out).execute(all.toArray(String[]::new));
    said = text.toString();
    return code;
  }

  private int store(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--masters", "127.0.0.1:" + port, "--secret-file", secret.toString()));
    return offline(all.toArray(String[]::new));
  }

  private String name(int worker) {
    return "127.0.0.1:" + workers.get(worker - 1).port();
  }

  @Test
  void reportsWhatThereIsAndWhatIsWrong() throws IOException {
    writeFile("/d/file");
    assertThat(store("report")).as(said).isZero();
    assertThat(said).contains(name(1), "HDD", "serves", "files and directories: 3");
    workers.remove(0).close();
    await("the worker is gone")
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                store("report") == 3
                    && said.contains("UNHEALTHY: no worker lives")
                    && said.contains("UNHEALTHY: a block of /d/file is with no worker"));
  }

  @Test
  void setsQuotasTimesAndPins() throws IOException {
    writeFile("/d/file");
    assertThat(store("quota", "/d")).isZero();
    assertThat(said).contains("/d has no quota");
    assertThat(store("quota", "/d", "--names", "10", "--bytes", "1m")).isZero();
    assertThat(said).contains("names: 2 of 10", "bytes: 100000 of 1048576");
    assertThat(store("quota", "/d", "--names", "none")).isZero();
    assertThat(said).contains("names: 2 of none", "bytes: 100000 of 1048576");
    assertThat(store("quota", "/d", "--names", "many")).isEqualTo(2);
    assertThat(store("quota", "/nowhere", "--names", "1")).isEqualTo(1);
    assertThat(said).contains("there is no /nowhere");

    assertThat(store("ttl", "/d/file")).isZero();
    assertThat(said).contains("/d/file stays");
    assertThat(store("ttl", "/d/file", "2h")).isZero();
    assertThat(store("ttl", "/d/file")).isZero();
    assertThat(said).contains("/d/file is deleted in ");
    assertThat(store("ttl", "/d/file", "--free", "2h")).isEqualTo(1);
    assertThat(said).contains("has no copy below");
    assertThat(store("ttl", "/d/file", "soon")).isEqualTo(2);

    assertThat(store("pin", "/d")).isZero();
    assertThat(store("pin", "/d/file")).isZero();
    assertThat(store("unpin", "/d/file")).isZero();
    assertThat(said).contains("/d/file is pinned all the same");
    assertThat(store("unpin", "/d")).isZero();
    assertThat(said).isEmpty();
  }

  @Test
  void drainsAndBalances() throws IOException {
    for (int i = 0; i < 40; i++) {
      writeFile("/d/" + i);
    }
    assertThat(store("decommission", name(1), "--deadline", "1")).isEqualTo(1);
    assertThat(said).contains("is being drained: blocks left=40", "no other worker has room");
    assertThat(store("decommission", "nowhere:1")).isEqualTo(1);
    assertThat(said).contains("Cannot drain nowhere:1: there is no worker nowhere:1");
    startWorker(2);
    assertThat(store("decommission", name(1))).as(said).isZero();
    assertThat(said).contains("all that it has is elsewhere, too; stop it now.");
    workers.remove(0).close();
    startWorker(3);
    assertThat(store("balance", "--threshold", "2", "--rate", "10m")).as(said).isZero();
    assertThat(said).contains(": nothing more to move");
    assertThat(store("decommission", "--restart", name(2))).as(said).isZero();
    assertThat(said).contains("nobody writes to it; restart it now.");
    assertThat(store("balance", "--rate", "fast")).isEqualTo(2);
    assertThat(store("balance", "--threshold", "0")).isEqualTo(2);
  }

  @Test
  void looksThroughWhatIsStoppedAndEmptiesIt() throws IOException {
    writeFile("/d/file");
    String masterFile = masterFile().toString();
    String workerFile = workerFile(1).toString();
    assertThat(offline("verify", masterFile)).isEqualTo(1);
    assertThat(said).contains("is in use by another process");
    assertThat(offline("format", "--force", workerFile)).isEqualTo(1);
    assertThat(said).contains("is in use by another block store");
    stop();
    System.setProperty(Distribution.ROOT_PROPERTY, directory.toString());

    assertThat(offline("verify", masterFile, workerFile)).as(said).isZero();
    assertThat(said)
        .contains("3 files and directories", ": 1 blocks, ", " 0 blocks not finished")
        .doesNotContain("DAMAGED");
    flip(only(directory.resolve("blocks-1/segments")), 1_000);
    assertThat(offline("verify", workerFile)).isEqualTo(3);
    assertThat(said).contains("DAMAGED: block is damaged: fid=");
    flip(only(directory.resolve("journal/raft"), "log_"), 200);
    assertThat(offline("verify", masterFile)).isEqualTo(3);
    assertThat(said).contains("DAMAGED: log is damaged: file=");

    assertThat(offline("format", workerFile)).isEqualTo(1);
    assertThat(said).contains("there are blocks in", "--force");
    assertThat(offline("format", masterFile)).isEqualTo(1);
    assertThat(said).contains("there is a journal in", "--force");
    assertThat(offline("format", "--force", masterFile, workerFile)).as(said).isZero();
    assertThat(said).contains("Empty now: journal ", "Empty now: directories ");
    assertThat(offline("verify", workerFile)).isZero();
    assertThat(said).contains(": 0 blocks, ");
    assertThat(offline("verify", masterFile)).isEqualTo(1);
    assertThat(said).contains("there is no journal in");
    assertThat(offline("verify", secret.toString())).isEqualTo(1);
    assertThat(said).contains("the file of neither");

    master = LineageMaster.start(Settings.read(masterFile()));
    startWorker(1);
    assertThat(store("report")).as(said).isZero();
    assertThat(said).contains("files and directories: 1");
  }

  private static Path only(Path directory) throws IOException {
    return only(directory, "");
  }

  private static Path only(Path directory, String beginning) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> file.getFileName().toString().startsWith(beginning))
          .filter(file -> !file.getFileName().toString().startsWith("+"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 1;
    Files.write(file, bytes);
  }
}
