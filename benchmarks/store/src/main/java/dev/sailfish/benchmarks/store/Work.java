package dev.sailfish.benchmarks.store;

import java.io.IOException;

/** What one thread does with a storage. */
interface Work {
  /** What has to be there; not measured. */
  default void prepare(Storage storage, Load load) throws IOException {
    // Nothing has to be there.
  }

  /** What is measured. */
  void run(Storage storage, Load load) throws IOException;

  /**
   * Looks at what is there afterwards; not measured.
   *
   * @throws IOException it is not what it should be
   */
  void verify(Storage storage, Load load) throws IOException;

  /** How much the figure counts: bytes, or things. */
  long amount(Load load);

  /** For how many bytes memory is needed. */
  default long written(Load load) {
    return 0;
  }
}
