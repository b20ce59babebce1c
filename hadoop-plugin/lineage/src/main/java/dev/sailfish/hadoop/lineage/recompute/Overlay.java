package dev.sailfish.hadoop.lineage.recompute;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a task has done to the tree of a store, over the store as it is: so that the task sees what
 * it made, moved and deleted, and the store does not change. Knows only what it is told; whether
 * something is in the store the caller asks. No I/O. Not thread-safe.
 *
 * <p>Paths are absolute, as {@code /a/b}.
 */
final class Overlay {
  /** What is at a path. */
  sealed interface Entry {}

  /** What the store has at a path, which is another one where it was moved. */
  record Stored(String path) implements Entry {}

  /** Nothing: it was deleted, or it is below something that the task has made. */
  record Gone() implements Entry {}

  /** A directory that the task has made where nothing was. */
  record Made(long modifiedMs) implements Entry {}

  /** A file that the task has created. */
  record Written(WrittenOutput output) implements Entry {}

  private static final Gone GONE = new Gone();
  private static final String ROOT = "/";

  private final TreeMap<String, Entry> entries = new TreeMap<>();

  /** What is at a path. */
  Entry at(String path) {
    for (String above = path; ; above = parent(above)) {
      Entry entry = entries.get(above);
      if (entry instanceof Stored moved) {
        return new Stored(join(moved.path(), path.substring(above.length())));
      }
      if (entry != null) {
        return above.equals(path) ? entry : GONE;
      }
      if (above.equals(ROOT)) {
        return new Stored(path);
      }
    }
  }

  /** Puts something that the task has made in place of what is at a path. */
  void put(String path, Entry entry) {
    drop(path);
    entries.put(path, entry);
  }

  /** Takes away what is at a path and below it. */
  void remove(String path) {
    put(path, GONE);
  }

  /** Moves what is at a path, and below it, in place of what is at another one. */
  void move(String from, String to) {
    Entry moved = at(from);
    Map<String, Entry> below = new TreeMap<>(below(from));
    put(to, moved);
    below.forEach((path, entry) -> entries.put(join(to, path.substring(from.length())), entry));
    drop(from);
    entries.put(from, GONE);
  }

  /** By their names, what the task has made, moved or deleted in a directory. */
  Map<String, Entry> in(String directory) {
    Map<String, Entry> found = new TreeMap<>();
    String prefix = join(directory, ROOT);
    below(directory)
        .forEach(
            (path, entry) -> {
              String name = path.substring(prefix.length());
              if (name.indexOf('/') < 0) {
                found.put(name, entry);
              }
            });
    return found;
  }

  /** By their paths, the files that the task has created, at a path and below it. */
  Map<String, WrittenOutput> written(String path) {
    Map<String, WrittenOutput> found = new TreeMap<>();
    Map<String, Entry> all = new TreeMap<>(below(path));
    all.put(path, at(path));
    all.forEach(
        (where, entry) -> {
          if (entry instanceof Written written) {
            found.put(where, written.output());
          }
        });
    return found;
  }

  private void drop(String path) {
    List<String> paths = new ArrayList<>(below(path).keySet());
    paths.forEach(entries::remove);
    entries.remove(path);
  }

  /** Entries strictly below a path. */
  private Map<String, Entry> below(String path) {
    String prefix = join(path, ROOT);
    return entries.subMap(prefix, false, prefix.substring(0, prefix.length() - 1) + '0', false);
  }

  /** The directory of a path; of the root, itself. */
  static String parent(String path) {
    int at = path.lastIndexOf('/');
    return at <= 0 ? ROOT : path.substring(0, at);
  }

  private static String join(String path, String rest) {
    return path.equals(ROOT) && !rest.isEmpty() ? rest : path + rest;
  }
}
