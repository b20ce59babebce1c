package dev.sailfish.benchmarks.jobs.storage;

import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Local files at the other end of a link, which every process shares that goes over it, and the
 * same mounted in the lineage store: what is written is in both before it is complete, and what is
 * read from below is kept in memory. Ends with {@link #close}: the mount, and the files.
 */
public final class SecondLevel implements AutoCloseable {
  private static final String MOUNT = "/bench-second-level-";

  private final Path below;
  private final Path link;
  private final String rate;
  private StoreMount mount;

  private SecondLevel(Path directory, String rate) {
    this.below = directory.resolve("below");
    this.link = directory.resolve("link");
    this.rate = rate;
  }

  /**
   * Makes one.
   *
   * @param cluster that runs, with a lineage store
   * @param directory that is there, for the files below and the file of the link
   * @param rate of the link each way, bytes a second as Hadoop writes them: 100m
   */
  public static SecondLevel mount(LocalCluster cluster, Path directory, String rate)
      throws IOException {
    SecondLevel level = new SecondLevel(directory, rate);
    Files.createDirectories(level.below);
    level.mount =
        StoreMount.add(cluster, MOUNT + ProcessHandle.current().pid(), level.mountTarget());
    return level;
  }

  /** What clients of {@code limited://} set, jobs too. */
  public Map<String, String> keys() {
    return new TreeMap<>(
        Map.of(
            "fs.limited.impl",
            "dev.sailfish.benchmarks.limited.LimitedFileSystem",
            "fs.limited.rate",
            rate,
            "fs.limited.link",
            link.toString()));
  }

  private String mountTarget() {
    StringBuilder line = new StringBuilder(limited());
    line.append(" rename=atomic write=through read=mixed");
    keys().forEach((key, value) -> line.append(" hadoop.").append(key).append('=').append(value));
    return line.toString();
  }

  /** The directory below, over the link. */
  public String limited() {
    return "limited://" + below;
  }

  /** The same directory through the lineage store. */
  public String twoLevels() {
    return mount.uri();
  }

  @Override
  public void close() throws IOException {
    try {
      mount.close();
    } finally {
      Directories.delete(below);
    }
  }
}
