package dev.sailfish.lineage.master.namespace;

/**
 * When a file's time is over, and what is done then.
 *
 * @param atMs by the journal's clock, which stands still while no master leads
 */
public record Expiry(long atMs, Action action) {
  /** What is done with the file; the ordinal is in snapshots. */
  public enum Action {
    /** It is deleted. */
    DELETE,
    /** It leaves the workers, and is there all the same, because there is a copy below. */
    FREE
  }
}
