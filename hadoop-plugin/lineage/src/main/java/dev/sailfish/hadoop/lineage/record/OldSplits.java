package dev.sailfish.hadoop.lineage.record;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileSplit;

/** Splits of Hadoop's older API, of which a class has the name of one of the newer. */
final class OldSplits {
  private OldSplits() {}

  /** The file of a split; null when it is none of a file. */
  static Path file(Object split) {
    return split instanceof FileSplit one ? one.getPath() : null;
  }
}
