package dev.sailfish.system.yarn.chaos;

import dev.sailfish.chaos.Expectation;
import dev.sailfish.chaos.FaultKind;
import dev.sailfish.chaos.Moment;
import dev.sailfish.chaos.Strike;
import dev.sailfish.chaos.process.DaemonProcess;
import dev.sailfish.chaos.process.Daemons;
import dev.sailfish.chaos.strike.CutConnections;
import dev.sailfish.chaos.strike.KillProcess;
import dev.sailfish.chaos.strike.KillServer;
import dev.sailfish.chaos.strike.OneOf;
import dev.sailfish.chaos.strike.ReconfigureServer;
import dev.sailfish.chaos.strike.RestartServer;
import dev.sailfish.chaos.strike.RollingRestart;
import dev.sailfish.chaos.strike.ServerChoice;
import dev.sailfish.chaos.strike.SlowServer;
import dev.sailfish.chaos.strike.StopProcess;
import dev.sailfish.chaos.strike.StopServer;
import dev.sailfish.system.yarn.chaos.Containers.Attempt;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.SplittableRandom;

/** The faults that meet jobs, each with what is promised when it strikes. */
enum JobFault implements FaultKind<ChaosCluster> {
  /** SIGKILL of a running map attempt's JVM. */
  KILL_MAP_ATTEMPT(
      JobExpectation.JOB_SUCCEEDS,
      new KillProcess<>(cluster -> cluster.containers().attempts(Attempt::isMap)),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS),
  /** SIGKILL of a running reduce attempt's JVM. */
  KILL_REDUCE_ATTEMPT(
      JobExpectation.JOB_SUCCEEDS,
      new KillProcess<>(cluster -> cluster.containers().attempts(attempt -> !attempt.isMap())),
      JobMoment.SHUFFLE,
      JobMoment.REDUCE),
  /** A map is stopped until a speculative attempt of it runs, then both go on to their ends. */
  SPECULATION(JobExpectation.JOB_SUCCEEDS, new Speculation(), JobMoment.MAPS_RUN),
  /** SIGKILL of the ApplicationMaster; its second attempt takes over. */
  KILL_AM(
      JobExpectation.MAY_FAIL_IN_COMMIT,
      new KillProcess<>(cluster -> cluster.containers().masters()),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE),
  /** SIGKILL of a NodeManager and of all containers on its host; it comes back for the next job. */
  NODE_LOST(
      JobExpectation.MAY_FAIL_IN_COMMIT,
      (cluster, course) -> cluster.killNode(course.random()),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE,
      JobMoment.REDUCE),
  /** The job itself is killed, as by a user. */
  KILL_JOB(
      JobExpectation.MAY_BE_KILLED,
      (cluster, course) -> cluster.killApplications(),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE,
      JobMoment.REDUCE),
  /** SIGKILL of a chunkserver that comes back only for the next job. */
  CHUNKSERVER_KILLED_FOR_GOOD(
      JobExpectation.JOB_SUCCEEDS,
      new KillServer<>(ChaosCluster::chunkservers),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE,
      JobMoment.REDUCE),
  /** SIGKILL or SIGTERM of a chunkserver, and its start after a pause. */
  CHUNKSERVER_RESTARTED(
      JobExpectation.JOB_SUCCEEDS,
      new RestartServer<>(ChaosCluster::chunkservers),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE,
      JobMoment.REDUCE),
  /** SIGKILL or SIGTERM of the metaserver that leads, and its start after a pause. */
  METASERVER_RESTARTED(
      JobExpectation.JOB_SUCCEEDS,
      new RestartServer<>(new Leader()),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE,
      JobMoment.REDUCE),
  /** Each chunkserver in turn, then each metaserver: SIGTERM, and its start at once. */
  ROLLING_RESTART(
      JobExpectation.JOB_SUCCEEDS,
      new RollingRestart<>(cluster -> List.of(cluster.chunkservers(), cluster.metaservers())),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE),
  /** SIGSTOP for 20 s of a chunkserver, the metaserver or a task. */
  STOPPED_20S(
      JobExpectation.JOB_SUCCEEDS,
      stopped(20_000),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE,
      JobMoment.REDUCE),
  /** The same for 45 s: longer than a chunkserver may be silent before it is given up. */
  STOPPED_45S(
      JobExpectation.JOB_SUCCEEDS,
      stopped(45_000),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE,
      JobMoment.REDUCE),
  /** The connections to one server are reset, half-closed, stalled or refused for a while. */
  CONNECTION_CUT(
      JobExpectation.JOB_SUCCEEDS,
      new CutConnections<>(ChaosCluster::proxies),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE,
      JobMoment.REDUCE),
  /** One bit of a STABLE or SORTED chunk's file is the other one. */
  BIT_FLIP(
      JobExpectation.JOB_SUCCEEDS,
      new ChunkBitFlip(),
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE,
      JobMoment.REDUCE),
  /** A chunkserver with 1 MiB of memory, so that chunks go to its disk. */
  MEMORY_FULL(
      JobExpectation.JOB_SUCCEEDS,
      new ReconfigureServer<>(
          ChaosCluster::chunkservers, before -> little(before, false), "little room"),
      JobMoment.BEFORE),
  /** A chunkserver with 1 MiB of memory and 2 MiB of disk: less than the job gives it. */
  DISK_FULL(
      JobExpectation.JOB_SUCCEEDS,
      new ReconfigureServer<>(
          ChaosCluster::chunkservers, before -> little(before, true), "little room"),
      JobMoment.BEFORE),
  /** A chunkserver that gets a fifth of the time for 10 s, as on a slow disk. */
  SLOW_SERVER(
      JobExpectation.JOB_SUCCEEDS,
      new SlowServer<>(ChaosCluster::chunkservers, 10_000),
      JobMoment.MAPS_RUN,
      JobMoment.HALF_OF_MAPS,
      JobMoment.SHUFFLE,
      JobMoment.REDUCE);

  private final Expectation expectation;
  private final Strike<ChaosCluster> strike;
  private final List<Moment> moments;

  JobFault(Expectation expectation, Strike<ChaosCluster> strike, Moment... moments) {
    this.expectation = expectation;
    this.strike = strike;
    this.moments = List.of(moments);
  }

  /** The metaserver that leads. */
  private static final class Leader implements ServerChoice<ChaosCluster> {
    @Override
    public Daemons among(ChaosCluster cluster) {
      return cluster.metaservers();
    }

    @Override
    public Optional<DaemonProcess> take(ChaosCluster cluster, SplittableRandom random) {
      return cluster.metaservers().take(cluster.leader());
    }
  }

  /** A task, the metaserver or, as often as both, a chunkserver is stopped. */
  private static Strike<ChaosCluster> stopped(long millis) {
    Strike<ChaosCluster> task =
        new StopProcess<>(cluster -> cluster.containers().attempts(any -> true), millis);
    Strike<ChaosCluster> metaserver = new StopServer<>(new Leader(), millis);
    Strike<ChaosCluster> chunkserver = new StopServer<>(ChaosCluster::chunkservers, millis);
    return new OneOf<>(List.of(task, task, metaserver, chunkserver, chunkserver, chunkserver));
  }

  private static Map<String, String> little(Properties before, boolean diskToo) {
    Map<String, String> little = new HashMap<>();
    little.put("sailfish.chunkserver.memory.size", "1m");
    if (diskToo) {
      String disk = "sailfish.chunkserver.data.dirs";
      little.put(disk, before.getProperty(disk) + ":capacity=2m");
    }
    return little;
  }

  @Override
  public Expectation expectation() {
    return expectation;
  }

  @Override
  public List<Moment> moments() {
    return moments;
  }

  @Override
  public Strike<ChaosCluster> strike() {
    return strike;
  }

  @Override
  public boolean goesWith(FaultKind<ChaosCluster> other) {
    Set<JobFault> small = EnumSet.of(MEMORY_FULL, DISK_FULL);
    Set<JobFault> exclusive = EnumSet.of(SPECULATION, KILL_AM, NODE_LOST);
    return !(this == other && onceInAJob())
        && !(small.contains(this) && small.contains(other))
        && !(exclusive.contains(this) && exclusive.contains(other));
  }

  /** Whether one job may be met by it only once. */
  boolean onceInAJob() {
    return switch (this) {
      case KILL_AM,
          NODE_LOST,
          KILL_JOB,
          SPECULATION,
          CHUNKSERVER_KILLED_FOR_GOOD,
          ROLLING_RESTART ->
          true;
      case MEMORY_FULL, DISK_FULL -> true;
      default -> false;
    };
  }

  /** Whether acknowledged blocks may be gone after it, so that maps that have ended run again. */
  boolean mayLoseChunks() {
    return switch (this) {
      case KILL_MAP_ATTEMPT, KILL_REDUCE_ATTEMPT, SPECULATION -> false;
      case KILL_AM, NODE_LOST, KILL_JOB -> false;
      default -> true;
    };
  }
}
