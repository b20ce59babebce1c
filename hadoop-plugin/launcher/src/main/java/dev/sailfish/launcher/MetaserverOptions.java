package dev.sailfish.launcher;

import dev.sailfish.launcher.cluster.DaemonRecord;
import dev.sailfish.launcher.cluster.Distribution;
import dev.sailfish.launcher.run.Shuffle;
import java.net.InetSocketAddress;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which metaserver a command asks. */
final class MetaserverOptions {
  private static final String DEFAULT_ADDRESS = "localhost:19850";
  private static final int MAX_PORT = 65535;

  @Option(
      names = "--metaserver",
      paramLabel = "HOST:PORT",
      description =
          "Address of the metaserver (default: that of the running local cluster, else "
              + DEFAULT_ADDRESS
              + ").")
  private String metaserver;

  @Mixin private ClusterOptions options;

  /**
   * The address by option, else of the local cluster's metaserver if it runs, else the system
   * property of the jobs' key, else that key's default.
   */
  InetSocketAddress address() {
    if (metaserver != null) {
      return parse(metaserver, "--metaserver");
    }
    return options
        .cluster(Distribution.current(), line -> {})
        .recordedState()
        .daemon("metaserver")
        .filter(DaemonRecord::isRunning)
        .map(daemon -> parse(daemon.address(), "The local cluster's metaserver"))
        .orElseGet(
            () ->
                parse(
                    System.getProperty(Shuffle.METASERVER_ADDRESS, DEFAULT_ADDRESS),
                    Shuffle.METASERVER_ADDRESS));
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
