package dev.sailfish.lineage.master.dependency;

/**
 * Hears what becomes of dependencies, and of the files that they make. Called while a change is
 * made, after the graph has it; changes nothing there, and never fails.
 */
public interface GraphWatcher {
  /** A dependency was recorded; some of its outputs may be complete. */
  void added(Dependency dependency);

  /** A dependency that is growing has another output, which is its last one. */
  void appended(Dependency dependency);

  /** A dependency grows no more. */
  void sealed(Dependency dependency);

  /** An output is in another state. */
  void moved(Output before, Output now);

  /** A dependency is kept no more: its outputs are below or deleted, and nobody needs them. */
  void removed(Dependency dependency);
}
