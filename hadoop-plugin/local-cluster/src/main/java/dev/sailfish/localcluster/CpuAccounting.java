package dev.sailfish.localcluster;

import java.time.Duration;

/**
 * CPU seconds that a cluster has used: all its daemons and all containers that ended.
 *
 * <p>The kernel adds a process's time, and that of its own ended children, to its parent when the
 * parent waits for it. The NodeManager starts each container through shells that wait for what they
 * start ({@code default_container_executor.sh}), so the time of application master and tasks, from
 * the start of their JVM to its end, arrives in the NodeManager's figure for waited-for children
 * once the container has ended. A container that still runs is not counted: ask after {@link
 * #awaitContainersEnded}.
 *
 * @param cluster which runs
 */
public record CpuAccounting(ClusterState cluster) {
  private static final Duration CONTAINERS_DEADLINE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(200);

  /** Waits until the NodeManager has no container left. */
  public void awaitContainersEnded() {
    new Await(CONTAINERS_DEADLINE, POLL)
        .until(
            () ->
                cluster.nodeManagers().stream()
                    .allMatch(daemon -> ProcessStat.descendantsOf(daemon.pid()).isEmpty()),
            () ->
                "Containers still run %d s after the last job: does somebody else use the cluster?"
                    .formatted(CONTAINERS_DEADLINE.toSeconds()));
  }

  /** CPU seconds of a daemon, and of its containers that ended, since it was started. */
  public static double secondsOf(DaemonRecord daemon) {
    long ticks =
        daemon
            .process()
            .orElseThrow(
                () ->
                    new CommandException(
                        daemon.name() + " ended during a measurement; see " + daemon.log() + "."))
            .cpuTicks();
    return (double) ticks / ProcessStat.TICKS_PER_SECOND;
  }
}
