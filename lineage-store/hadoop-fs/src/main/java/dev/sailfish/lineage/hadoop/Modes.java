package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.protocol.wire.ReadMode;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.OpenFileParameters;

/** Where bytes go and come from: words of the configuration, and of a single file's options. */
final class Modes {
  /** Option of {@code createFile}: how this file is written. */
  static final String WRITE = "sailfish.lineage.write";

  /** Option of {@code openFile}: how this file is read. */
  static final String READ = "sailfish.lineage.read";

  /** Option of {@code openFile}: whether this file's blocks are left on the reader's host. */
  static final String COPY_LOCAL = "sailfish.lineage.copy.local";

  /**
   * Options of {@code openFile} that Hadoop defines for all file systems, as words: a client of
   * Hadoop 3.3.4 or older does not have the class with Hadoop's own set of them.
   */
  static final Set<String> STANDARD_READ =
      Set.of(
          "fs.option.openfile.buffer.size",
          "fs.option.openfile.footer.cache",
          "fs.option.openfile.length",
          "fs.option.openfile.read.policy",
          "fs.option.openfile.split.end",
          "fs.option.openfile.split.start");

  private Modes() {}

  /**
   * How a file is read.
   *
   * @param mode where blocks come from that no worker has
   * @param leavesCopies whether blocks of other hosts' workers are left on this host, too
   */
  record Reading(ReadMode mode, boolean leavesCopies) {}

  /**
   * How a file is written.
   *
   * @throws IllegalArgumentException when it is no such word
   */
  static WriteMode write(String word) {
    return switch (word) {
      case "as.mounted" -> WriteMode.WRITE_AS_MOUNTED;
      case "memory" -> WriteMode.WRITE_MEMORY;
      case "bypass" -> WriteMode.WRITE_BYPASS;
      case "through" -> WriteMode.WRITE_THROUGH;
      default ->
          throw new IllegalArgumentException(
              WRITE + "='" + word + "' must be as.mounted, memory, bypass or through");
    };
  }

  /**
   * How a file is read.
   *
   * @throws IllegalArgumentException when it is no such word
   */
  static ReadMode read(String word) {
    return switch (word) {
      case "as.mounted" -> ReadMode.READ_AS_MOUNTED;
      case "memory" -> ReadMode.READ_MEMORY;
      case "direct" -> ReadMode.READ_DIRECT;
      case "mixed" -> ReadMode.READ_MIXED;
      default ->
          throw new IllegalArgumentException(
              READ + "='" + word + "' must be as.mounted, memory, direct or mixed");
    };
  }

  /**
   * How a file is read that is opened with options.
   *
   * @param usual how it is when no option says it
   * @param file for messages
   * @throws IllegalArgumentException when an option that must be known is not, or has a value that
   *     means nothing
   */
  static Reading read(OpenFileParameters asked, Reading usual, Path file) {
    Set<String> known = new HashSet<>(STANDARD_READ);
    known.add(READ);
    known.add(COPY_LOCAL);
    AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(
        asked.getMandatoryKeys(), known, "for " + file);
    String word = asked.getOptions().get(READ);
    String copies = asked.getOptions().get(COPY_LOCAL);
    return new Reading(
        word == null ? usual.mode() : read(word),
        copies == null ? usual.leavesCopies() : isCopied(copies));
  }

  private static boolean isCopied(String word) {
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(COPY_LOCAL + "='" + word + "' must be true or false");
    };
  }
}
