package dev.sailfish.cli;

import dev.sailfish.cli.inspect.Metaservers;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsNetwork;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.client.Shuffle;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which metaserver a command asks, and how it proves that it may. */
final class MetaserverOptions {
  private static final String DEFAULT_ADDRESS = "localhost:19850";

  @Option(
      names = "--metaserver",
      paramLabel = "HOST:PORT[,HOST:PORT...]",
      description =
          "Addresses of the metaservers (default: that of the running local cluster, else "
              + DEFAULT_ADDRESS
              + ").")
  private String metaserver;

  @Mixin private SecretOptions secret;

  @Mixin private TlsOptions tls;

  @Mixin private ClusterOptions options;

  /** For picocli. */
  MetaserverOptions() {}

  /** As if these were its options; {@code metaserver} may be null. */
  MetaserverOptions(String metaserver, SecretOptions secret, ClusterOptions options) {
    this.metaserver = metaserver;
    this.secret = secret;
    this.options = options;
    tls = new TlsOptions();
  }

  /**
   * Those that the option names, else the local cluster's that run, else what the system property
   * of the jobs' key names, else that key's default. Secret and TLS are the local cluster's where
   * one of its metaservers is meant and nothing else is named.
   */
  Metaservers metaservers() throws IOException {
    ClusterLayout layout = options.layout();
    List<InetSocketAddress> local =
        options.cluster().recordedState().metaservers().stream()
            .filter(DaemonRecord::isRunning)
            .map(DaemonRecord::endpoint)
            .toList();
    List<InetSocketAddress> addresses = local;
    if (metaserver != null) {
      addresses = parse(metaserver, "--metaserver");
    } else if (local.isEmpty()) {
      String key = Shuffle.METASERVER_ADDRESS;
      addresses = parse(System.getProperty(key, DEFAULT_ADDRESS), key);
    }
    boolean isLocal = local.stream().anyMatch(addresses::contains);
    Credentials credentials =
        (isLocal ? secret.orLocal(layout) : secret.named())
            .map(Credentials::ofCluster)
            .orElseGet(Credentials::none);
    Optional<Path> file = tls.file();
    if (isLocal && file.isEmpty()) {
      file = Optional.of(layout.tlsClientFile()).filter(Files::exists);
    }
    return new Metaservers(
        addresses, credentials, file.isPresent() ? network(file.get()) : Network.SOCKETS);
  }

  /** As {@link ClusterOptions#hadoopConf}. */
  Path hadoopConf(PrintWriter err) {
    return options.hadoopConf(err);
  }

  private static Network network(Path file) throws IOException {
    return TlsNetwork.open("TLS client file=" + file, SslFile.read("TLS client file", file));
  }

  private static List<InetSocketAddress> parse(String addresses, String what) {
    return Stream.of(addresses.split(",")).map(address -> parseOne(address.strip(), what)).toList();
  }

  private static InetSocketAddress parseOne(String address, String what) {
    try {
      HostPort place = HostPort.parse(address);
      return new InetSocketAddress(place.host(), place.port());
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          "%s is %s, which is not HOST:PORT: write, for instance, %s."
              .formatted(what, address, DEFAULT_ADDRESS),
          e);
    }
  }
}
