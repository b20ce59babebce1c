package dev.sailfish.cli.store;

import java.nio.file.Path;

/**
 * A file of the store that a command knows by another name.
 *
 * @param path in the store
 * @param name in the command's working directory
 */
record NamedFile(String path, String name) {
  private static final String SCHEME = "lineage://";

  /**
   * What an argument says: {@code lineage:///PATH=NAME}, {@code /PATH=NAME}, or either without a
   * name, which then is the last one of the path.
   *
   * @throws IllegalArgumentException when it says nothing of the kind
   */
  static NamedFile of(String text) {
    String place = text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : text;
    int at = place.lastIndexOf('=');
    String path = at < 0 ? place : place.substring(0, at);
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException(
          "%s is no file of the store: write lineage:///PATH or lineage:///PATH=NAME, and which"
                  .formatted(text)
              + " store it is with --masters");
    }
    String last = path.substring(path.lastIndexOf('/') + 1);
    return new NamedFile(path, at < 0 ? last : place.substring(at + 1));
  }

  /** What a file of this machine is called in the working directory. */
  static String nameOf(Path file) {
    return file.toAbsolutePath().normalize().getFileName().toString();
  }
}
