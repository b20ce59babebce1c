package dev.sailfish.localcluster;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.sailfish.ground.config.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

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
  private static final Duration POLL = Duration.ofMillis(50);

  /** This very process, if it still runs. */
  Optional<ProcessStat> process() {
    return ProcessStat.read(pid)
        .filter(stat -> stat.startTicks() == startTicks && stat.isRunning());
  }

  /** Whether this very process still runs. */
  @JsonIgnore
  public boolean isRunning() {
    return process().isPresent();
  }

  /** Where its main service listens. */
  public InetSocketAddress endpoint() {
    HostPort place = HostPort.parse(address);
    return new InetSocketAddress(place.host(), place.port());
  }

  /** Whether its main service accepts connections. */
  public boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(endpoint(), CONNECT_TIMEOUT_MS);
      return true;
    } catch (IOException e) {
      return false; // the very question
    }
  }

  /**
   * Asks the processes to end, and kills those that did not within the grace period.
   *
   * @param processes to end; those that ended already are left alone, also when their pid is in use
   *     again
   * @param grace how long they may take
   */
  static void end(Collection<DaemonRecord> processes, Duration grace) {
    List<DaemonRecord> running = processes.stream().filter(DaemonRecord::isRunning).toList();
    running.forEach(process -> ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroy));
    if (new Await(grace, POLL)
        .holdsInTime(() -> running.stream().noneMatch(DaemonRecord::isRunning))) {
      return;
    }
    kill(running, grace);
  }

  /**
   * Kills the processes, which get no chance to close anything.
   *
   * @param processes to kill; those that ended already are left alone
   * @param grace how long the kernel may take
   */
  static void kill(Collection<DaemonRecord> processes, Duration grace) {
    List<DaemonRecord> running = processes.stream().filter(DaemonRecord::isRunning).toList();
    running.forEach(
        process -> ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly));
    new Await(grace, POLL)
        .until(
            () -> running.stream().noneMatch(DaemonRecord::isRunning),
            () -> "Cannot end " + running.stream().filter(DaemonRecord::isRunning).toList() + ".");
  }
}
