package dev.sailfish.system.chaos;

import java.util.List;

/** The faults that are injected, each with what is promised when it strikes. */
enum FaultKind {
  /** SIGKILL of a running map attempt's JVM. */
  KILL_MAP_ATTEMPT(Expectation.JOB_SUCCEEDS, Moment.MAPS_RUN, Moment.HALF_OF_MAPS),
  /** SIGKILL of a running reduce attempt's JVM. */
  KILL_REDUCE_ATTEMPT(Expectation.JOB_SUCCEEDS, Moment.SHUFFLE, Moment.REDUCE),
  /** A map is stopped until a speculative attempt of it runs, then both go on to their ends. */
  SPECULATION(Expectation.JOB_SUCCEEDS, Moment.MAPS_RUN),
  /** SIGKILL of the ApplicationMaster; its second attempt takes over. */
  KILL_AM(Expectation.MAY_FAIL_IN_COMMIT, Moment.MAPS_RUN, Moment.HALF_OF_MAPS, Moment.SHUFFLE),
  /** The job itself is killed, as by a user. */
  KILL_JOB(
      Expectation.MAY_BE_KILLED,
      Moment.MAPS_RUN,
      Moment.HALF_OF_MAPS,
      Moment.SHUFFLE,
      Moment.REDUCE),
  /** SIGKILL of a chunkserver that comes back only for the next job. */
  CHUNKSERVER_KILLED_FOR_GOOD(
      Expectation.JOB_SUCCEEDS,
      Moment.MAPS_RUN,
      Moment.HALF_OF_MAPS,
      Moment.SHUFFLE,
      Moment.REDUCE),
  /** SIGKILL or SIGTERM of a chunkserver, and its start after a pause. */
  CHUNKSERVER_RESTARTED(
      Expectation.JOB_SUCCEEDS,
      Moment.MAPS_RUN,
      Moment.HALF_OF_MAPS,
      Moment.SHUFFLE,
      Moment.REDUCE),
  /** SIGKILL or SIGTERM of the metaserver that leads, and its start after a pause. */
  METASERVER_RESTARTED(
      Expectation.JOB_SUCCEEDS,
      Moment.MAPS_RUN,
      Moment.HALF_OF_MAPS,
      Moment.SHUFFLE,
      Moment.REDUCE),
  /** Each chunkserver in turn, then each metaserver: SIGTERM, and its start at once. */
  ROLLING_RESTART(Expectation.JOB_SUCCEEDS, Moment.MAPS_RUN, Moment.HALF_OF_MAPS, Moment.SHUFFLE),
  /** SIGSTOP for 20 s of a chunkserver, the metaserver or a task. */
  STOPPED_20S(
      Expectation.JOB_SUCCEEDS,
      Moment.MAPS_RUN,
      Moment.HALF_OF_MAPS,
      Moment.SHUFFLE,
      Moment.REDUCE),
  /** The same for 45 s: longer than a chunkserver may be silent before it is given up. */
  STOPPED_45S(
      Expectation.JOB_SUCCEEDS,
      Moment.MAPS_RUN,
      Moment.HALF_OF_MAPS,
      Moment.SHUFFLE,
      Moment.REDUCE),
  /** The connections to one server are reset, half-closed, stalled or refused for a while. */
  CONNECTION_CUT(
      Expectation.JOB_SUCCEEDS,
      Moment.MAPS_RUN,
      Moment.HALF_OF_MAPS,
      Moment.SHUFFLE,
      Moment.REDUCE),
  /** One bit of a STABLE or SORTED chunk's file is the other one. */
  BIT_FLIP(Expectation.JOB_SUCCEEDS, Moment.HALF_OF_MAPS, Moment.SHUFFLE, Moment.REDUCE),
  /** A chunkserver with 1 MiB of memory, so that chunks go to its disk. */
  MEMORY_FULL(Expectation.JOB_SUCCEEDS, Moment.BEFORE),
  /** A chunkserver with 1 MiB of memory and 2 MiB of disk: less than the job gives it. */
  DISK_FULL(Expectation.JOB_SUCCEEDS, Moment.BEFORE),
  /** A chunkserver that gets a fifth of the time for 10 s, as on a slow disk. */
  SLOW_SERVER(
      Expectation.JOB_SUCCEEDS,
      Moment.MAPS_RUN,
      Moment.HALF_OF_MAPS,
      Moment.SHUFFLE,
      Moment.REDUCE);

  private final Expectation expectation;
  private final List<Moment> moments;

  FaultKind(Expectation expectation, Moment... moments) {
    this.expectation = expectation;
    this.moments = List.of(moments);
  }

  Expectation expectation() {
    return expectation;
  }

  /** When it may strike. */
  List<Moment> moments() {
    return moments;
  }

  /** Whether one job may be met by it only once. */
  boolean onceInAJob() {
    return switch (this) {
      case KILL_AM, KILL_JOB, SPECULATION, CHUNKSERVER_KILLED_FOR_GOOD, ROLLING_RESTART -> true;
      case MEMORY_FULL, DISK_FULL -> true;
      default -> false;
    };
  }

  /** Whether acknowledged blocks may be gone after it, so that maps that have ended run again. */
  boolean mayLoseChunks() {
    return switch (this) {
      case KILL_MAP_ATTEMPT, KILL_REDUCE_ATTEMPT, SPECULATION, KILL_AM, KILL_JOB -> false;
      default -> true;
    };
  }
}
