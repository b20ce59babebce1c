package dev.sailfish.lineage.edge.recompute;

/** Which inputs an output of a dependency needs (section 6.1 of the paper). */
public enum DependencyType {
  /**
   * Each output is made of one input, the one at the same place: a filter, a map. There are as many
   * inputs as outputs.
   */
  NARROW,
  /** Each output is made of all inputs: a shuffle, a join. */
  WIDE
}
