package dev.sailfish.localcluster.client;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Directories;
import dev.sailfish.localcluster.SiteFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A configuration directory for one job client: the cluster's own, with the job's keys laid over
 * it.
 *
 * <p>Hadoop loads core-site, mapred-site, yarn-site and hdfs-site one after the other, each with
 * the defaults of its part right before it, so that keys hold against everything only if each of
 * the files carries them.
 *
 * @param directory to name in {@code HADOOP_CONF_DIR}
 * @param base the cluster's own
 */
record ClientConfiguration(Path directory, Path base) implements AutoCloseable {
  private static final List<String> SITES =
      List.of("core-site.xml", "mapred-site.xml", "yarn-site.xml", "hdfs-site.xml");

  /**
   * Writes the directory.
   *
   * @param base the cluster's configuration directory
   * @param keys what the job sets
   */
  static ClientConfiguration create(Path base, Map<String, String> keys) {
    Path absolute = base.toAbsolutePath().normalize();
    if (!Files.exists(absolute.resolve("mapred-site.xml"))) {
      throw new CommandException(
          absolute
              + " holds no mapred-site.xml, so that jobs would silently run inside the client: let"
              + " HADOOP_CONF_DIR name a directory whose mapred-site.xml sets"
              + " mapreduce.framework.name to yarn.");
    }
    try {
      Path directory = Files.createTempDirectory("sailfish-client-");
      for (String site : SITES) {
        Optional<Path> file = Optional.of(absolute.resolve(site)).filter(Files::exists);
        SiteFile.write(directory.resolve(site), file, keys);
      }
      return new ClientConfiguration(directory, absolute);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Class path entries: this directory before the one that it overrides. */
  String classPath() {
    return directory + ":" + base;
  }

  @Override
  public void close() {
    Directories.delete(directory);
  }
}
