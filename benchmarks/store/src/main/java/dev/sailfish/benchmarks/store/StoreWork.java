package dev.sailfish.benchmarks.store;

import java.util.Locale;

/** The works by their names; all is done with a storage that is warm. */
enum StoreWork {
  /** Writes one file. */
  WRITE(true, LargeFile.WRITTEN),
  /** Reads one file into a direct buffer, where the storage can. */
  READ(true, LargeFile.READ),
  /** Reads one file through mappings. */
  READ_MAPPED(true, LargeFile.MAPPED),
  /** Writes files of 1 MiB. */
  FILES_1M(false, SmallFiles.WRITTEN),
  /** Reads files of 1 MiB. */
  FILES_1M_READ(false, SmallFiles.READ),
  /** Creates empty files and closes them. */
  CREATES(false, new Creates()),
  /** Asks for the lengths of files. */
  STATS(false, new Stats()),
  /** Writes objects of 1 MB. */
  OBJECTS_1MB(true, new Objects(1, false)),
  /** Reads objects of 1 MB. */
  OBJECTS_1MB_READ(true, new Objects(1, true)),
  /** Writes the same bytes in objects of 64 MB. */
  OBJECTS_64MB(true, new Objects(64, false)),
  /** Reads the same bytes in objects of 64 MB. */
  OBJECTS_64MB_READ(true, new Objects(64, true));

  private static final double MB = 1e6;

  private final boolean inBytes;
  private final Work work;

  StoreWork(boolean inBytes, Work work) {
    this.inBytes = inBytes;
    this.work = work;
  }

  static StoreWork of(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /** What it does. */
  Work work() {
    return work;
  }

  /** MB a second, or things a second. */
  double figure(Load load, double seconds) {
    return work.amount(load) / (inBytes ? MB : 1) / seconds;
  }
}
