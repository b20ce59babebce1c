package dev.sailfish.cli;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsNetwork;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.DaemonRecord;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which lineage store a command asks, and how it proves that it may. */
public final class StoreOptions {
  private static final String DEFAULT_ADDRESS = "localhost:19868";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Option(
      names = "--masters",
      paramLabel = "HOST:PORT[,HOST:PORT...]",
      description =
          "Addresses of the masters (default: that of the running local cluster, else "
              + DEFAULT_ADDRESS
              + ").")
  private Optional<String> masters = Optional.empty();

  @Mixin private SecretOptions secret;

  @Mixin private TlsOptions tls;

  @Mixin private ClusterOptions options;

  /**
   * How to reach the masters: as the user of this process, to whom everything is permitted, because
   * who knows the cluster's secret may do everything.
   *
   * @throws IOException when the secret or the file of TLS cannot be read
   */
  public StoreClientConfig config() throws IOException {
    ClusterLayout layout = options.layout();
    List<InetSocketAddress> local =
        options.cluster().recordedState().lineageMasters().stream()
            .filter(DaemonRecord::isRunning)
            .map(DaemonRecord::endpoint)
            .toList();
    List<InetSocketAddress> addresses =
        masters.isPresent() || local.isEmpty() ? parse(masters.orElse(DEFAULT_ADDRESS)) : local;
    boolean isLocal = local.stream().anyMatch(addresses::contains);
    Credentials credentials =
        (isLocal ? secret.orLocal(layout) : secret.named())
            .map(Credentials::ofCluster)
            .orElseGet(Credentials::none);
    Optional<Path> file = tls.file();
    if (isLocal && file.isEmpty()) {
      file = Optional.of(layout.tlsClientFile()).filter(Files::exists);
    }
    StoreUser user =
        StoreUser.newBuilder().setName(System.getProperty("user.name")).setSuperuser(true).build();
    return new StoreClientConfig(
        addresses,
        file.isPresent() ? network(file.get()) : Network.SOCKETS,
        credentials,
        user,
        Set.of(),
        StoreClientConfig.DEFAULT_BUFFER_BYTES,
        PATIENCE);
  }

  private static Network network(Path file) throws IOException {
    return TlsNetwork.open("TLS client file=" + file, SslFile.read("TLS client file", file));
  }

  private static List<InetSocketAddress> parse(String addresses) {
    return Stream.of(addresses.split(",")).map(String::strip).map(StoreOptions::parseOne).toList();
  }

  private static InetSocketAddress parseOne(String address) {
    try {
      HostPort place = HostPort.parse(address);
      return new InetSocketAddress(place.host(), place.port());
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "--masters is %s, which is not HOST:PORT: write, for instance, %s."
              .formatted(address, DEFAULT_ADDRESS),
          e);
    }
  }
}
