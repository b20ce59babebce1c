package dev.sailfish.localcluster;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.sailfish.ground.config.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * What is written down about a daemon when it was started, enough to find and stop exactly that
 * process later.
 *
 * @param name as users see it, unique in a cluster
 * @param pid process id
 * @param startTicks {@link ProcessStat#startTicks()}: tells the process from a later one with the
 *     same pid
 * @param address {@code host:port} of its main service
 * @param web {@code http://host:port} of its web server, or {@code https://host:port}, or empty
 * @param log file that holds what it prints
 */
public record DaemonRecord(
    String name, long pid, long startTicks, String address, String web, String log) {

  private static final int CONNECT_TIMEOUT_MS = 2_000;

  /** Whether this very process still runs. */
  @JsonIgnore
  public boolean isRunning() {
    return ProcessStat.read(pid)
        .filter(stat -> stat.startTicks() == startTicks && stat.isRunning())
        .isPresent();
  }

  /** Whether its main service accepts connections. */
  public boolean answers() {
    HostPort place = HostPort.parse(address);
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(place.host(), place.port()), CONNECT_TIMEOUT_MS);
      return true;
    } catch (IOException e) {
      return false; // the very question
    }
  }
}
