package dev.sailfish.lineage.master.namespace;

/**
 * What a directory holds with all that is below it, itself included; or a file.
 *
 * @param files those that are being written, too
 * @param bytes of files that are complete; a byte counts once, however many copies there are
 */
public record Usage(long files, long directories, long bytes) {
  /** Nothing. */
  static final Usage NONE = new Usage(0, 0, 0);

  /** One file that is complete, or is being written and has no bytes yet. */
  static Usage file(long bytes) {
    return new Usage(1, 0, bytes);
  }

  /** Directories without files. */
  static Usage directories(long count) {
    return new Usage(0, count, 0);
  }

  /** Files and directories. */
  public long names() {
    return files + directories;
  }

  Usage plus(Usage more) {
    return new Usage(files + more.files, directories + more.directories, bytes + more.bytes);
  }

  Usage minus(Usage less) {
    return new Usage(files - less.files, directories - less.directories, bytes - less.bytes);
  }
}
