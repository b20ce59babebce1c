package dev.sailfish.ground.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A directory that a daemon stores data in, written {@code path[:disktype=TYPE][:capacity=SIZE]}.
 * Immutable.
 *
 * @param type what is below it; HDD unless it is said
 * @param capacityBytes how much of it may be used, or {@link #ALL_OF_IT}
 */
public record StorageDirectory(Path path, DiskType type, long capacityBytes) {
  /** Capacity of a directory that may use its whole file system. */
  public static final long ALL_OF_IT = 0;

  private static final String TYPE = "disktype=";
  private static final String CAPACITY = "capacity=";
  private static final long MIB = 1L << 20;

  /** What a directory lies on, the fastest first. */
  public enum DiskType {
    /** A memory file system. */
    MEM,
    /** A solid-state disk. */
    SSD,
    /** A hard disk. */
    HDD
  }

  /**
   * Reads the directories that a key names.
   *
   * @throws IllegalArgumentException naming the key, where it is set, and what is wrong
   */
  public static List<StorageDirectory> of(Settings settings, Key<List<String>> key) {
    List<StorageDirectory> directories = new ArrayList<>();
    for (String text : settings.get(key)) {
      try {
        directories.add(parse(text));
      } catch (IllegalArgumentException e) {
        throw settings.wrong(
            key,
            "must be path[:disktype=MEM|SSD|HDD][:capacity=SIZE] with a size in 1m.., as 128m, 1g"
                + " or 2t: '"
                + text
                + "'");
      }
    }
    return directories;
  }

  private static StorageDirectory parse(String text) {
    DiskType type = DiskType.HDD;
    long capacity = ALL_OF_IT;
    String path = text;
    for (int at = option(path); at >= 0; at = option(path)) {
      String option = path.substring(at + 1);
      path = path.substring(0, at);
      if (option.startsWith(TYPE)) {
        type = DiskType.valueOf(option.substring(TYPE.length()));
      } else {
        capacity = Notation.size(option.substring(CAPACITY.length()));
        if (capacity < MIB) {
          throw new IllegalArgumentException(option);
        }
      }
    }
    if (path.isEmpty()) {
      throw new InvalidPathException(text, "no path");
    }
    return new StorageDirectory(Path.of(path), type, capacity);
  }

  /** Where the last option begins; -1 if there is none. */
  private static int option(String text) {
    int colon = text.lastIndexOf(':');
    boolean isOption =
        colon >= 0 && (text.startsWith(TYPE, colon + 1) || text.startsWith(CAPACITY, colon + 1));
    return isOption ? colon : -1;
  }
}
