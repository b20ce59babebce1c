package dev.sailfish.system.spark;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.testkit.ScratchDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.awaitility.Awaitility;

/** A master of the lineage store and a worker in the test's JVM, which know a secret. */
final class LineageDaemons implements Closeable {
  private static final String HOST = "127.0.0.1";

  private final Path directory;
  private final Path secret;
  private final ScratchDirectory memory;
  private final LineageMaster master;
  private final LineageWorker worker;

  LineageDaemons(Path directory) throws IOException {
    this.directory = directory;
    secret = directory.resolve("secret");
    ClusterSecret.create(secret);
    memory = new ScratchDirectory("sailfish-spark-");
    master =
        LineageMaster.start(
            settings("master", Map.of("journal.dir", directory.resolve("journal").toString())));
    worker =
        LineageWorker.start(
            settings(
                "worker",
                Map.of(
                    "master.address",
                    HOST + ":" + master.port(),
                    "dirs",
                    memory.path().resolve("blocks") + ":disktype=MEM:capacity=1g")));
    Awaitility.await("the master knows the worker")
        .atMost(Duration.ofSeconds(30))
        .until(() -> worker("heartbeats_total") > 0);
  }

  private Settings settings(String daemon, Map<String, String> own) throws IOException {
    Map<String, String> values = new HashMap<>(own);
    values.put("host", HOST);
    values.put("port", "0");
    values.put("web.port", "0");
    values.put("cluster.secret.file", secret.toString());
    Path file = directory.resolve(daemon + ".properties");
    Files.write(
        file,
        values.entrySet().stream()
            .map(e -> "sailfish.lineage." + daemon + "." + e.getKey() + "=" + e.getValue())
            .toList());
    return Settings.read(file);
  }

  /** What a client's configuration says to find it. */
  Map<String, String> keys() {
    return Map.of(
        "fs.lineage.impl",
        "dev.sailfish.lineage.hadoop.LineageFileSystem",
        "fs.AbstractFileSystem.lineage.impl",
        "dev.sailfish.lineage.hadoop.LineageFs",
        "sailfish.lineage.client.masters.store",
        HOST + ":" + master.port(),
        "sailfish.lineage.client.cluster.secret.file",
        secret.toString(),
        "sailfish.lineage.client.hosts",
        HOST,
        "sailfish.lineage.client.superuser",
        System.getProperty("user.name"));
  }

  /** What the worker counts, or has. */
  long worker(String name) {
    return worker.metrics().get("sailfish_lineage_worker_" + name);
  }

  @Override
  public void close() throws IOException {
    worker.close();
    master.close();
    memory.close();
  }
}
