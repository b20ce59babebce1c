package dev.sailfish.lineage.master.namespace;

/**
 * How much may be in a directory, and how much is.
 *
 * @param names how many files and directories there may be, the directory itself included; {@link
 *     #NO_LIMIT}: as many as you like
 * @param bytes how long its files may be together; {@link #NO_LIMIT}: as long as you like
 */
public record Quota(long names, long bytes, Usage used) {
  /** In place of a limit. */
  public static final long NO_LIMIT = 0;

  Quota with(Usage now) {
    return new Quota(names, bytes, now);
  }

  boolean permitsNames(long more) {
    return names == NO_LIMIT || more <= 0 || used.names() + more <= names;
  }

  boolean permitsBytes(long more) {
    return bytes == NO_LIMIT || more <= 0 || used.bytes() + more <= bytes;
  }
}
