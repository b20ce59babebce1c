package dev.sailfish.launcher;

import dev.sailfish.launcher.cluster.DaemonRecord;
import dev.sailfish.launcher.cluster.Distribution;
import dev.sailfish.launcher.run.Shuffle;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which metaserver a command asks. */
final class MetaserverOptions {
  private static final String DEFAULT_ADDRESS = "localhost:19850";
  private static final int MAX_PORT = 65535;

  @Option(
      names = "--metaserver",
      paramLabel = "HOST:PORT[,HOST:PORT...]",
      description =
          "Addresses of the metaservers (default: that of the running local cluster, else "
              + DEFAULT_ADDRESS
              + ").")
  private String metaserver;

  @Mixin private ClusterOptions options;

  /**
   * The addresses by option, else of the local cluster's metaservers that run, else the system
   * property of the jobs' key, else that key's default.
   */
  List<InetSocketAddress> addresses() {
    if (metaserver != null) {
      return parseAll(metaserver, "--metaserver");
    }
    List<InetSocketAddress> running =
        options.cluster(Distribution.current(), line -> {}).recordedState().metaservers().stream()
            .filter(DaemonRecord::isRunning)
            .map(daemon -> parse(daemon.address(), "The local cluster's metaserver"))
            .toList();
    return running.isEmpty()
        ? parseAll(
            System.getProperty(Shuffle.METASERVER_ADDRESS, DEFAULT_ADDRESS),
            Shuffle.METASERVER_ADDRESS)
        : running;
  }

  private static List<InetSocketAddress> parseAll(String list, String what) {
    return Stream.of(list.split(",")).map(address -> parse(address.strip(), what)).toList();
  }

  private static InetSocketAddress parse(String address, String what) {
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
