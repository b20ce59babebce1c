package dev.sailfish.system.yarn.chaos;

import dev.sailfish.chaos.Moment;

/** A point of a job's life that can be seen from outside. */
enum JobMoment implements Moment {
  /** Before the job is submitted. */
  BEFORE,
  /** A map attempt's JVM runs. */
  MAPS_RUN,
  /** Half of the maps have committed a manifest. */
  HALF_OF_MAPS,
  /** A reduce attempt's JVM runs. */
  SHUFFLE,
  /** All maps have committed a manifest and a reduce attempt's JVM runs. */
  REDUCE;

  @Override
  public boolean isBefore() {
    return this == BEFORE;
  }
}
