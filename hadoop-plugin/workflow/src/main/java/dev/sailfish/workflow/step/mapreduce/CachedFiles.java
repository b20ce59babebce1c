package dev.sailfish.workflow.step.mapreduce;

import dev.sailfish.hadoop.lineage.wire.CacheFile;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The distributed cache of a job that runs again: files of its record, which are in its new staging
 * directory, and those that are where they were. Gathered, then written into the configuration. For
 * one thread.
 */
final class CachedFiles {
  private static final Keys FILES =
      new Keys(
          MRJobConfig.CACHE_FILES,
          MRJobConfig.CACHE_FILE_TIMESTAMPS,
          MRJobConfig.CACHE_FILES_SIZES,
          MRJobConfig.CACHE_FILE_VISIBILITIES,
          MRJobConfig.CLASSPATH_FILES);
  private static final Keys ARCHIVES =
      new Keys(
          MRJobConfig.CACHE_ARCHIVES,
          MRJobConfig.CACHE_ARCHIVES_TIMESTAMPS,
          MRJobConfig.CACHE_ARCHIVES_SIZES,
          MRJobConfig.CACHE_ARCHIVES_VISIBILITIES,
          MRJobConfig.CLASSPATH_ARCHIVES);

  private record Keys(
      String uris, String times, String sizes, String visibilities, String classPath) {}

  private record Entry(String uri, String modifiedMs, String size, String visible) {}

  private final Configuration recorded;
  private final List<Entry> files = new ArrayList<>();
  private final List<Entry> archives = new ArrayList<>();

  /** By the path that each had in the cache, where its content is now: several for a directory. */
  private final Map<String, List<String>> moved = new HashMap<>();

  /**
   * @param recorded the job's configuration as it was
   */
  CachedFiles(Configuration recorded) {
    this.recorded = recorded;
  }

  /** What a file of the cache is called: that of its link is in its URI. */
  static String name(CacheFile file) {
    return file.getEntry().isEmpty()
        ? new Path(URI.create(file.getUri()).getPath()).getName()
        : file.getEntry();
  }

  /** Adds one that is in the staging directory. */
  void add(CacheFile file, FileStatus staged) {
    URI old = URI.create(file.getUri());
    String link = old.getFragment() == null ? name(file) : old.getFragment();
    add(file.getArchive(), staged, link);
    moved.computeIfAbsent(old.getPath(), key -> new ArrayList<>()).add(staged.getPath().toString());
  }

  /**
   * Adds one that the job did not have.
   *
   * @param link its name in working directories
   */
  void add(boolean archive, FileStatus staged, String link) {
    (archive ? archives : files)
        .add(
            new Entry(
                staged.getPath().toUri() + "#" + link,
                String.valueOf(staged.getModificationTime()),
                String.valueOf(staged.getLen()),
                "false"));
  }

  /** Adds one that is where it was, as the recorded configuration has it. */
  void keep(CacheFile file) {
    Keys keys = file.getArchive() ? ARCHIVES : FILES;
    String[] uris = recorded.getStrings(keys.uris(), new String[0]);
    for (int i = 0; i < uris.length; i++) {
      if (uris[i].equals(file.getUri())) {
        String path = URI.create(uris[i]).getPath();
        moved.computeIfAbsent(path, key -> new ArrayList<>()).add(path);
        (file.getArchive() ? archives : files)
            .add(
                new Entry(
                    uris[i],
                    recorded.getStrings(keys.times())[i],
                    recorded.getStrings(keys.sizes())[i],
                    recorded.getStrings(keys.visibilities())[i]));
      }
    }
  }

  /** Writes what was added into a job's configuration. */
  void apply(Configuration job) {
    apply(job, FILES, files);
    apply(job, ARCHIVES, archives);
  }

  private void apply(Configuration job, Keys keys, List<Entry> entries) {
    set(job, keys.uris(), entries.stream().map(Entry::uri).toList());
    set(job, keys.times(), entries.stream().map(Entry::modifiedMs).toList());
    set(job, keys.sizes(), entries.stream().map(Entry::size).toList());
    set(job, keys.visibilities(), entries.stream().map(Entry::visible).toList());
    List<String> classPath = new ArrayList<>();
    for (String path : recorded.getStrings(keys.classPath(), new String[0])) {
      classPath.addAll(moved.getOrDefault(new Path(path).toUri().getPath(), List.of()));
    }
    set(job, keys.classPath(), classPath);
  }

  private static void set(Configuration job, String key, List<String> values) {
    if (values.isEmpty()) {
      job.unset(key);
    } else {
      job.set(key, String.join(",", values));
    }
  }
}
