package dev.sailfish.hadoop.lineage.record;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.lib.CombineFileSplit;

/** Splits of Hadoop's older API, of which classes have the names of those of the newer. */
final class OldApi {
  private OldApi() {}

  static FileSplit split(String path) {
    return new FileSplit(new Path(path), 0, 1, new String[0]);
  }

  static CombineFileSplit combined(String path) {
    return new CombineFileSplit(
        new JobConf(new Configuration(false)), new Path[] {new Path(path)}, new long[] {1});
  }
}
