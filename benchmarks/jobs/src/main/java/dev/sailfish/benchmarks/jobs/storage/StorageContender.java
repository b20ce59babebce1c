package dev.sailfish.benchmarks.jobs.storage;

import java.util.Locale;

/** A storage that takes part. */
public enum StorageContender {
  /** Plain files on {@code /dev/shm} through channels, wherever the others are. */
  SHM(true),
  /** Plain files through channels, on the memory file system that all others have. */
  JAVA(true),
  /** The same with checksums that writers compute and readers compare. */
  CHECKED(true),
  /** The same through Hadoop's RawLocalFileSystem. */
  RAW(false),
  /** The lineage store's own client. */
  STORE(true),
  /** The same through Hadoop: {@code lineage://}. */
  LINEAGE(false),
  /** HDFS there with one DataNode. */
  HDFS1(true),
  /** HDFS there with three DataNodes, and three copies of each file. */
  HDFS3(true),
  /** Alluxio, with files in memory alone. */
  ALLUXIO(false);

  private final boolean maps;

  StorageContender(boolean maps) {
    this.maps = maps;
  }

  /** Whether its files can be read through mappings. */
  public boolean maps() {
    return maps;
  }

  /** How many copies it makes of what is written. */
  public int copies() {
    return this == HDFS3 ? 3 : 1;
  }

  /** As users write it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
