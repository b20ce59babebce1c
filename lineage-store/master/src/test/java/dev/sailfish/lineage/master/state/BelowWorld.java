package dev.sailfish.lineage.master.state;

import dev.sailfish.lineage.master.namespace.Below;
import dev.sailfish.lineage.master.namespace.Sighting;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The under store of a schedule, by the paths that its files have in the lineage store. Who writes
 * here shows a file at once and whole, as {@code BrokenCopyTest} proves it of real ones; a reader
 * finds out whether it is still the one that he knows.
 */
final class BelowWorld {
  private static final int BLOCK_LOG = 16;

  /**
   * A file.
   *
   * @param version never given again
   * @param data what is in it
   * @param length in bytes
   */
  record Content(long version, long data, long length) {
    /** What a look at it tells. */
    Below below() {
      return new Below(false, length, version, "v" + version, OptionalInt.empty(), false);
    }
  }

  private final Map<String, Content> files = new TreeMap<>();
  private final Map<String, Long> dataOfTags = new HashMap<>();
  private long lastVersion;

  /** What is at a path; null: no file. */
  Content at(String path) {
    return files.get(path);
  }

  /** Puts a file there, in place of what is there. */
  Content put(String path, long data, long length) {
    Content content = new Content(++lastVersion, data, length);
    files.put(path, content);
    dataOfTags.put(content.below().tag(), data);
    return content;
  }

  /** What was in a file that was seen or made once. */
  long data(Below recorded) {
    return dataOfTags.get(recorded.tag());
  }

  /** Deletes a file, or all below a directory. */
  void delete(String path) {
    files.keySet().removeIf(name -> isWithin(name, path));
  }

  /** Moves a file, or all below a directory. */
  void move(String from, String to) {
    Map<String, Content> moved = new TreeMap<>();
    files.forEach(
        (name, content) -> {
          if (isWithin(name, from)) {
            moved.put(to + name.substring(from.length()), content);
          }
        });
    delete(from);
    delete(to);
    files.putAll(moved);
  }

  /** Whether a path is another one, or below it. */
  static boolean isWithin(String name, String path) {
    return name.equals(path) || name.startsWith(path + "/");
  }

  /** Whether a recorded file is there as it was recorded. */
  boolean isAsRecorded(String path, Below recorded) {
    Content content = at(path);
    return content != null && recorded != null && recorded.isSameContent(content.below());
  }

  /** What somebody sees who looks at a path now; null: nothing. */
  Sighting.Found found(String path) {
    Content content = at(path);
    if (content != null) {
      return new Sighting.Found(content.below(), "root", "root", 0644, BLOCK_LOG);
    }
    boolean isDirectory = files.keySet().stream().anyMatch(name -> isWithin(name, path));
    return isDirectory ? new Sighting.Found(Below.DIRECTORY, "root", "root", 0755, 0) : null;
  }
}
