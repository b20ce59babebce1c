package dev.sailfish.lineage.understore;

/** When a file below is the copy of a file of the lineage store. */
public enum CopyKind {
  /**
   * It was written under a temporary name, synced, and renamed in one step: under its own name
   * there is all of it or nothing of it.
   */
  RENAMED,

  /**
   * The under store renames in several steps, or has no names to rename: what is under the name
   * counts only when it is what was recorded.
   */
  RECORDED
}
