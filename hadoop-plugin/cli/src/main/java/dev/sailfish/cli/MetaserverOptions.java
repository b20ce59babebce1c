package dev.sailfish.cli;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsNetwork;
import dev.sailfish.localcluster.ClusterLayout;
import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.localcluster.client.Shuffle;
import java.io.IOException;
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
  private static final String TLS_VARIABLE = "SAILFISH_TLS_CLIENT_FILE";

  @Option(
      names = "--metaserver",
      paramLabel = "HOST:PORT[,HOST:PORT...]",
      description =
          "Addresses of the metaservers (default: that of the running local cluster, else "
              + DEFAULT_ADDRESS
              + ").")
  private String metaserver;

  @Mixin private SecretOptions secret;

  @Option(
      names = "--tls-client-file",
      paramLabel = "FILE",
      description =
          "File in the format of Hadoop's ssl-client.xml, for servers that speak TLS (default: $"
              + TLS_VARIABLE
              + ", else that of the running local cluster, else no TLS).")
  private Path tlsClientFile;

  @Mixin private ClusterOptions options;

  /**
   * The addresses by option, else of the local cluster's metaservers that run, else the system
   * property of the jobs' key, else that key's default.
   */
  List<InetSocketAddress> addresses() {
    if (metaserver != null) {
      return parseAll(metaserver, "--metaserver");
    }
    List<InetSocketAddress> running = localMetaservers();
    return running.isEmpty()
        ? parseAll(
            System.getProperty(Shuffle.METASERVER_ADDRESS, DEFAULT_ADDRESS),
            Shuffle.METASERVER_ADDRESS)
        : running;
  }

  private static List<InetSocketAddress> parseAll(String list, String what) {
    return Stream.of(list.split(",")).map(address -> parse(address.strip(), what)).toList();
  }

  private List<InetSocketAddress> localMetaservers() {
    return options
        .cluster(Distribution.current(), line -> {})
        .recordedState()
        .metaservers()
        .stream()
        .filter(DaemonRecord::isRunning)
        .map(daemon -> parse(daemon.address(), "The local cluster's metaserver"))
        .toList();
  }

  /** The cluster's, by the secret file of the option, the environment or the local cluster. */
  Credentials credentials() {
    Optional<byte[]> named = secret.named();
    if (named.isPresent()) {
      return Credentials.ofCluster(named.get());
    }
    return isLocal()
        ? Credentials.ofCluster(SecretOptions.local(options.layout(Distribution.current())))
        : Credentials.none();
  }

  /** What leads to the servers: TLS where a file for it is named, or the local cluster has one. */
  Network network() {
    String fromEnvironment = System.getenv(TLS_VARIABLE);
    if (tlsClientFile != null) {
      return network("--tls-client-file", tlsClientFile);
    }
    if (fromEnvironment != null && !fromEnvironment.isEmpty()) {
      return network(TLS_VARIABLE, Path.of(fromEnvironment));
    }
    ClusterLayout layout = options.layout(Distribution.current());
    return isLocal() ? network(layout) : Network.SOCKETS;
  }

  /** What leads to the servers of a local cluster. */
  static Network network(ClusterLayout layout) {
    return Files.exists(layout.tlsClientFile())
        ? network("TLS file of the local cluster", layout.tlsClientFile())
        : Network.SOCKETS;
  }

  private static Network network(String named, Path file) {
    try {
      return TlsNetwork.open(named + "=" + file, SslFile.read(named, file));
    } catch (IOException e) {
      throw new CommandException(e.getMessage() + ".", e);
    }
  }

  private boolean isLocal() {
    return localMetaservers().stream().anyMatch(addresses()::contains);
  }

  /** The address that {@code HOST:PORT} stands for; {@code what} begins the error message. */
  static InetSocketAddress parse(String address, String what) {
    try {
      HostPort place = HostPort.parse(address);
      return new InetSocketAddress(place.host(), place.port());
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          what
              + " is "
              + address
              + ", which is not HOST:PORT: write, for instance, "
              + DEFAULT_ADDRESS
              + ".",
          e);
    }
  }
}
