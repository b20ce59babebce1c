package dev.sailfish.benchmarks.jobs.storage;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.LocalCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Local files at the other end of a link, which every process shares that goes over it, and the
 * same mounted in the lineage store: what is written is in both before it is complete, and what is
 * read from below is kept in memory. Ends with {@link #close}: the mount, and the files.
 */
public final class SecondLevel implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String MOUNT = "/bench-second-level-";

  private final StoreClient client;
  private final Path below;
  private final Path link;
  private final String rate;
  private final String mount;

  private SecondLevel(StoreClient client, Path directory, String rate) {
    this.client = client;
    this.below = directory.resolve("below");
    this.link = directory.resolve("link");
    this.rate = rate;
    this.mount = MOUNT + ProcessHandle.current().pid();
  }

  /**
   * Makes one.
   *
   * @param cluster that runs, with a lineage store
   * @param directory that is there, for the files below and the file of the link
   * @param rate of the link each way, bytes a second as Hadoop writes them: 100m
   */
  public static SecondLevel mount(LocalCluster cluster, Path directory, String rate)
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
    SecondLevel level = new SecondLevel(client, directory, rate);
    try {
      Files.createDirectories(level.below);
      client.mounts().add(level.mountLine());
      return level;
    } catch (IOException | RuntimeException e) {
      client.close();
      throw e;
    }
  }

  /** What clients of {@code limited://} set, jobs too. */
  public Map<String, String> keys() {
    return new TreeMap<>(
        Map.of(
            "fs.limited.impl",
            "dev.sailfish.benchmarks.limited.LimitedFileSystem",
            "fs.limited.rate",
            rate,
            "fs.limited.link",
            link.toString()));
  }

  private String mountLine() {
    StringBuilder line = new StringBuilder(mount + " " + limited());
    line.append(" rename=atomic write=through read=mixed");
    keys().forEach((key, value) -> line.append(" hadoop.").append(key).append('=').append(value));
    return line.toString();
  }

  /** The directory below, over the link. */
  public String limited() {
    return "limited://" + below;
  }

  /** The same directory through the lineage store. */
  public String twoLevels() {
    return "lineage://" + mount;
  }

  @Override
  public void close() throws IOException {
    try {
      client.mounts().remove(mount, true);
    } finally {
      client.close();
      Directories.delete(below);
    }
  }
}
