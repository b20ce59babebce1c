package dev.sailfish.lineage.hadoop.qfs;

import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;

/** A file with its chunks' hosts and its tag. Immutable, as far as Hadoop leaves it so. */
final class LocatedQfsFile extends LocatedFileStatus implements EtagSource {
  private static final long serialVersionUID = 1L;

  private final String tag;

  /**
   * @param status of a file of QFS
   */
  LocatedQfsFile(FileStatus status, BlockLocation[] chunks) {
    super(status, chunks);
    tag = ((EtagSource) status).getEtag();
  }

  @Override
  public String getEtag() {
    return tag;
  }

  /** By the path, as Hadoop has it for all of them. */
  @Override
  public boolean equals(Object other) {
    return super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }
}
