package dev.sailfish.hadoop.lineage.record;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.hadoop.LineageFileSystem;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.awaitility.Awaitility;

/** A master and a worker in this process, without a secret; its user may do everything. */
final class TestStore implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final Path directory;
  private final LineageMaster master;
  private final LineageWorker worker;

  /**
   * @param limits further settings of the master
   */
  TestStore(Path directory, Map<String, String> limits) throws IOException {
    this.directory = directory;
    master = LineageMaster.start(settings("master", LineageMasterKey.ALL.prefix(), limits));
    worker =
        LineageWorker.start(
            settings(
                "worker",
                LineageWorkerKey.ALL.prefix(),
                Map.of(
                    "heartbeat", "50ms",
                    "master.address", HOST + ":" + master.port(),
                    "dirs", directory.resolve("blocks") + ":capacity=64m")));
    Awaitility.await("the master knows the worker")
        .atMost(Duration.ofSeconds(30))
        .until(() -> worker.metrics().get("sailfish_lineage_worker_heartbeats_total") > 0);
  }

  private Settings settings(String name, String prefix, Map<String, String> own)
      throws IOException {
    List<String> lines =
        new ArrayList<>(
            List.of(
                prefix + "host=" + HOST,
                prefix + "port=0",
                prefix + "web.port=0",
                prefix + "authentication=none"));
    if (name.equals("master")) {
      lines.add(prefix + "journal.sync=false");
      lines.add(prefix + "journal.dir=" + directory.resolve("journal"));
    }
    own.forEach((key, value) -> lines.add(prefix + key + "=" + value));
    return Settings.read(Files.write(directory.resolve(name + ".properties"), lines));
  }

  URI uri() {
    return URI.create("lineage://" + HOST + ":" + master.port());
  }

  /** A client outside of any task. */
  StoreClient client() {
    return new StoreClient(
        new StoreClientConfig(
            List.of(new InetSocketAddress(HOST, master.port())),
            Network.SOCKETS,
            Credentials.none(),
            StoreUser.newBuilder()
                .setName(System.getProperty("user.name"))
                .setSuperuser(true)
                .build(),
            Set.of(HOST),
            StoreClientConfig.DEFAULT_BUFFER_BYTES,
            Duration.ofSeconds(30)));
  }

  /** What clients and jobs are told of it. */
  Configuration conf() {
    Configuration conf = new Configuration();
    conf.set("fs.lineage.impl", LineageFileSystem.class.getName());
    conf.set("sailfish.lineage.client.authentication", "none");
    conf.set("sailfish.lineage.client.hosts", HOST);
    conf.set("sailfish.lineage.client.superuser", System.getProperty("user.name"));
    return conf;
  }

  @Override
  public void close() throws IOException {
    worker.close();
    master.close();
  }
}
