package dev.sailfish.launcher;

import dev.sailfish.launcher.cluster.ClusterLayout;
import dev.sailfish.launcher.cluster.DaemonRecord;
import dev.sailfish.launcher.cluster.Distribution;
import dev.sailfish.launcher.run.Shuffle;
import dev.sailfish.protocol.ClusterSecret;
import dev.sailfish.protocol.client.Credentials;
import dev.sailfish.protocol.client.Network;
import dev.sailfish.protocol.tls.SslFile;
import dev.sailfish.protocol.tls.TlsNetwork;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which metaserver a command asks, and how it proves that it may. */
final class MetaserverOptions {
  private static final String DEFAULT_ADDRESS = "localhost:19850";
  private static final int MAX_PORT = 65535;
  private static final String SECRET_VARIABLE = "SAILFISH_SECRET_FILE";
  private static final String TLS_VARIABLE = "SAILFISH_TLS_CLIENT_FILE";

  @Option(
      names = "--metaserver",
      paramLabel = "HOST:PORT[,HOST:PORT...]",
      description =
          "Addresses of the metaservers (default: that of the running local cluster, else "
              + DEFAULT_ADDRESS
              + ").")
  private String metaserver;

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description =
          "File with the cluster's secret (default: $"
              + SECRET_VARIABLE
              + ", else that of the running local cluster; without one the command works only where"
              + " authentication is off).")
  private Path secretFile;

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
    String fromEnvironment = System.getenv(SECRET_VARIABLE);
    if (secretFile != null) {
      return read("--secret-file", secretFile);
    }
    if (fromEnvironment != null && !fromEnvironment.isEmpty()) {
      return read(SECRET_VARIABLE, Path.of(fromEnvironment));
    }
    return isLocal()
        ? read("secret of the local cluster", options.layout(Distribution.current()).secret())
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
      throw new LauncherException(e.getMessage() + ".", e);
    }
  }

  private boolean isLocal() {
    return localMetaservers().stream().anyMatch(addresses()::contains);
  }

  private static Credentials read(String named, Path file) {
    try {
      return Credentials.ofCluster(ClusterSecret.read(named, file));
    } catch (IOException e) {
      throw new LauncherException(e.getMessage() + ".", e);
    }
  }

  /** The address that {@code HOST:PORT} stands for; {@code what} begins the error message. */
  static InetSocketAddress parse(String address, String what) {
    int colon = address.lastIndexOf(':');
    int port = colon < 1 ? 0 : port(address.substring(colon + 1));
    if (port < 1 || port > MAX_PORT) {
      throw new LauncherException(
          what
              + " is "
              + address
              + ", which is not HOST:PORT: write, for instance, "
              + DEFAULT_ADDRESS
              + ".");
    }
    return new InetSocketAddress(address.substring(0, colon), port);
  }

  private static int port(String digits) {
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      return 0; // no port has it
    }
  }
}
