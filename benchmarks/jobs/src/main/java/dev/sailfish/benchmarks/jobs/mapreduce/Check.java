package dev.sailfish.benchmarks.jobs.mapreduce;

/**
 * What the two sides of the shuffle saw, as counters of the job; sums of hashes wrap around.
 * Hadoop's own counters have other names, so each can be found by its name alone.
 */
enum Check {
  /** What map tasks emitted. */
  MAP_RECORDS,
  MAP_HASH_SUM,
  /** What reduce tasks saw. */
  REDUCE_RECORDS,
  REDUCE_HASH_SUM,
  OUT_OF_ORDER,
  WRONG_PARTITION,
  WRONG_SIZE,
  /** What the input holds, as its generator says. */
  GENERATED_RECORDS,
  GENERATED_HASH_SUM,
  /** What the groups say of the input; equals what its generator said. */
  GROUPED_HASH_SUM,
  /** What reduce tasks made of it; equal for every shuffle. */
  RESULT_RECORDS,
  RESULT_HASH_SUM
}
