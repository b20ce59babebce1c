package dev.sailfish.workflow.step.mapreduce;

import dev.sailfish.hadoop.lineage.wire.CacheFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where files of the distributed cache were, and where they are in the new staging directory. Some
 * tasks open such files at their own paths, not by the links in the working directory: those of
 * Hive open the plan of their work in the directory that {@code hive.exec.plan} names, which Hive's
 * client empties when the job has ended. So files of one directory stay in one directory, and a key
 * that names a file or a directory that is gone gets the new one. For one thread.
 */
final class CachedPaths {
  private static final Logger LOG = LoggerFactory.getLogger(CachedPaths.class);

  /** A path from the root, or a URI that has one. */
  private static final Pattern ABSOLUTE =
      Pattern.compile("(?:(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]*):(?://[^/,]*)?)?(?<path>/[^,]*?)/?");

  private record Copy(Path original, FileStatus staged) {}

  private final Path cache;
  private final Map<String, Path> directories = new HashMap<>(); // by where the client had them
  private final Map<String, Copy> copies = new HashMap<>(); // by their originals

  /**
   * @param cache a directory of the new staging directory, for them all
   */
  CachedPaths(Path cache) {
    this.cache = cache;
  }

  /** Where the job's client had a file. */
  static Path original(CacheFile file) {
    URI uri = URI.create(file.getUri());
    Path named = new Path(uri.getScheme(), uri.getAuthority(), uri.getPath());
    return file.getEntry().isEmpty() ? named : new Path(named.getParent(), file.getEntry());
  }

  /** The copy of a file that is in the cache under several names; null: there is none yet. */
  FileStatus copy(CacheFile file) {
    Copy copy = copies.get(original(file).toString());
    return copy == null ? null : copy.staged();
  }

  /** Where a file is to be copied. */
  Path place(CacheFile file) {
    Path original = original(file);
    Path directory =
        directories.computeIfAbsent(
            original.getParent().toString(),
            key -> new Path(cache, String.valueOf(directories.size())));
    return new Path(directory, original.getName());
  }

  /** Adds a file that was copied to its place. */
  void add(CacheFile file, FileStatus staged) {
    Path original = original(file);
    copies.put(original.toString(), new Copy(original, staged));
  }

  /**
   * Has keys name the copies of what they named and is gone.
   *
   * @param job the configuration in which they are; file systems are found by it, too
   */
  void apply(Configuration job) {
    Map<String, Copy> files = new HashMap<>();
    Map<String, List<Copy>> parents = new HashMap<>();
    for (Copy copy : copies.values()) {
      String directory = name(copy.original().getParent().toString(), job);
      files.put(name(copy.original().toString(), job), copy);
      parents.computeIfAbsent(directory, key -> new ArrayList<>()).add(copy);
    }
    Map<String, Path> changes = new HashMap<>();
    for (Map.Entry<String, String> entry : job) {
      String named = name(entry.getValue(), job);
      if (files.containsKey(named) && isGone(files.get(named), job)) {
        changes.put(entry.getKey(), files.get(named).staged().getPath());
      } else if (parents.containsKey(named) && areGone(parents.get(named), job)) {
        changes.put(entry.getKey(), parents.get(named).get(0).staged().getPath().getParent());
      }
    }
    changes.forEach(
        (key, path) -> {
          LOG.info("{} is {} for what was in {}", key, path, job.get(key));
          job.set(key, path.toString());
        });
  }

  /** Scheme and path: the same for all that name the same, where one service is meant. */
  private static String name(String value, Configuration conf) {
    Matcher uri = ABSOLUTE.matcher(value);
    if (!uri.matches()) {
      return value;
    }
    String scheme = uri.group("scheme");
    return (scheme == null ? FileSystem.getDefaultUri(conf).getScheme() : scheme)
        + ":"
        + uri.group("path");
  }

  /** Tasks cannot read a file where it was: it is not there, or it is another one. */
  private static boolean isGone(Copy copy, Configuration conf) {
    Path file = copy.original();
    try {
      return !isSame(file.getFileSystem(conf).getFileStatus(file), copy);
    } catch (FileNotFoundException e) {
      return true;
    } catch (IOException e) {
      return isTaken(file, e);
    }
  }

  private static boolean isSame(FileStatus now, Copy copy) {
    return now.isFile() && now.getLen() == copy.staged().getLen();
  }

  /**
   * Tasks cannot read all files of a directory where they were, and would not miss others: it has
   * none.
   */
  private static boolean areGone(List<Copy> copies, Configuration conf) {
    Path directory = copies.get(0).original().getParent();
    Map<String, Copy> missing = new HashMap<>();
    copies.forEach(copy -> missing.put(copy.original().getName(), copy));
    try {
      RemoteIterator<FileStatus> there =
          directory.getFileSystem(conf).listStatusIterator(directory);
      while (there.hasNext()) {
        FileStatus now = there.next();
        Copy copy = missing.get(now.getPath().getName());
        if (copy == null) {
          return false;
        }
        if (isSame(now, copy)) {
          missing.remove(now.getPath().getName());
        }
      }
      return !missing.isEmpty();
    } catch (FileNotFoundException e) {
      return true;
    } catch (IOException e) {
      return isTaken(directory, e);
    }
  }

  private static boolean isTaken(Path path, IOException e) {
    LOG.warn("{} cannot be looked at; tasks get what the record has of it", path, e);
    return true;
  }
}
