package dev.sailfish.benchmarks.store;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The storages that a command line names, by what they are and where.
 *
 * <pre>
 *   java DIRECTORY                plain files
 *   checked DIRECTORY             plain files with checksums
 *   raw DIRECTORY                 the same through Hadoop's interface
 *   store HOST:PORT[;HOST:PORT...],SECRET-FILE   the lineage store's own client
 *   hadoop URI                    a directory of any file system that Hadoop knows
 * </pre>
 */
record Storages(String kind, String place) {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  /**
   * A client of its own, for one thread.
   *
   * @param directory a name below the place
   */
  Storage open(String directory) throws IOException {
    return switch (kind) {
      case "java" -> new JavaFiles(Path.of(place).resolve(directory));
      case "checked" -> new CheckedFiles(Path.of(place).resolve(directory));
      case "raw" -> HadoopFiles.raw(place + "/" + directory);
      case "store" -> new LineageFiles(config(), "/bench/" + directory);
      case "hadoop" -> HadoopFiles.at(place + "/" + directory);
      default -> throw new IllegalArgumentException("no such kind of storage: " + kind);
    };
  }

  private StoreClientConfig config() throws IOException {
    String[] parts = place.split(",");
    List<InetSocketAddress> masters =
        Stream.of(parts[0].split(";"))
            .map(one -> one.split(":"))
            .map(one -> new InetSocketAddress(one[0], Integer.parseInt(one[1])))
            .toList();
    byte[] secret = ClusterSecret.read("secret of the store", Path.of(parts[1]));
    return new StoreClientConfig(
        masters,
        Network.SOCKETS,
        Credentials.ofCluster(secret),
        StoreUser.newBuilder().setName("bench").setSuperuser(true).build(),
        Set.of(masters.get(0).getHostString()),
        StoreClientConfig.DEFAULT_BUFFER_BYTES,
        DEADLINE);
  }
}
