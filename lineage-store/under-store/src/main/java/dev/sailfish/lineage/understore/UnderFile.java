package dev.sailfish.lineage.understore;

import java.util.Optional;

/**
 * A file or directory below, as it was at one moment. Keep the one that a file was loaded or copied
 * at: {@link #differenceFrom} tells whether it is still that file.
 *
 * @param path below the mount's root
 * @param directory whether it is one; then nothing below says that it changed
 * @param length in bytes; 0 for a directory
 * @param modifiedMs when it was written, in milliseconds since 1970 by the under store's clock
 * @param tag what tells versions of the content apart beyond that: an entity tag, an inode; empty
 *     where the under store has nothing of the kind. Compared, never interpreted
 * @param ownership who may do what with it, by the under store's own users and groups
 */
public record UnderFile(
    UnderPath path,
    boolean directory,
    long length,
    long modifiedMs,
    String tag,
    Ownership ownership) {

  /**
   * Whose a file is. Object stores know neither users nor modes, and make something up.
   *
   * @param mode the lower 12 bits of POSIX: permissions, and the sticky bit
   */
  public record Ownership(String owner, String group, int mode) {}

  /**
   * What has changed from the recorded state to this one, in words; empty when nothing has. With
   * the same tag and length it is the same content, whatever the time says: object stores give
   * seconds there and file systems let users set it.
   */
  public Optional<String> differenceFrom(UnderFile recorded) {
    if (recorded.directory != directory) {
      return Optional.of(directory ? "it is a directory now" : "it is a file now");
    }
    if (directory) {
      return Optional.empty();
    }
    if (recorded.length != length) {
      return Optional.of("recorded length=" + recorded.length + ", now length=" + length);
    }
    boolean tagged = !tag.isEmpty() && !recorded.tag.isEmpty();
    if (tagged && !recorded.tag.equals(tag)) {
      return Optional.of("recorded tag=" + recorded.tag + ", now tag=" + tag);
    }
    return tagged || recorded.modifiedMs == modifiedMs
        ? Optional.empty()
        : Optional.of("recorded modifiedMs=" + recorded.modifiedMs + ", now=" + modifiedMs);
  }
}
