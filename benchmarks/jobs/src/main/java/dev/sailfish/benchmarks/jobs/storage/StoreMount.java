package dev.sailfish.benchmarks.jobs.storage;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.LocalCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A directory of another file system in the lineage store of a local cluster, until {@link #close}.
 */
public final class StoreMount implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final StoreClient client;
  private final String path;

  private StoreMount(StoreClient client, String path) {
    this.client = client;
    this.path = path;
  }

  /**
   * Mounts one.
   *
   * @param cluster that runs, with a lineage store
   * @param path in the store
   * @param target URI of the directory, and options of the mount, with blanks between
   */
  public static StoreMount add(LocalCluster cluster, String path, String target)
      throws IOException {
    List<InetSocketAddress> masters =
        StorageServers.masterRecords(cluster).stream().map(DaemonRecord::endpoint).toList();
    byte[] secret = ClusterSecret.read("secret of the store", cluster.layout().secret());
    StoreClient client =
        new StoreClient(
            new StoreClientConfig(
                masters,
                Network.SOCKETS,
                Credentials.ofCluster(secret),
                StoreUser.newBuilder()
                    .setName(System.getProperty("user.name"))
                    .setSuperuser(true)
                    .build(),
                Set.of(masters.get(0).getHostString()),
                StoreClientConfig.DEFAULT_BUFFER_BYTES,
                PATIENCE));
    try {
      client.mounts().add(path + " " + target);
      return new StoreMount(client, path);
    } catch (IOException | RuntimeException e) {
      client.close();
      throw e;
    }
  }

  /** The directory through the store. */
  public String uri() {
    return "lineage://" + path;
  }

  /**
   * Brings a file from below into the memory of a worker.
   *
   * @param name below the mount
   */
  public void load(String name) throws IOException {
    client.load(path + "/" + name);
  }

  @Override
  public void close() throws IOException {
    try {
      client.mounts().remove(path, true);
    } finally {
      client.close();
    }
  }
}
