package dev.sailfish.lineage.master.dependency;

/** What an output is made of; the ordinal is in snapshots. */
public enum Breadth {
  /** Each output of one input: the first of the first, the second of the second, and so on. */
  NARROW,
  /** Each output of all inputs. */
  WIDE
}
