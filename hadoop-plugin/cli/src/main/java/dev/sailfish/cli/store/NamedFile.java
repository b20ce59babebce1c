package dev.sailfish.cli.store;

import java.nio.file.Path;

/**
 * A file of the store that a command knows by another name.
 *
 * @param path in the store
 * @param name in the command's working directory
 */
record NamedFile(String path, String name) {
  /**
   * What an argument says: {@code lineage:///PATH=NAME}, {@code /PATH=NAME}, or either without a
   * name, which then is the last one of the path.
   *
   * @throws IllegalArgumentException when it says nothing of the kind
   */
  static NamedFile of(String text) {
    int at = text.lastIndexOf('=');
    String path = StoreUri.path(at < 0 ? text : text.substring(0, at));
    String last = path.substring(path.lastIndexOf('/') + 1);
    return new NamedFile(path, at < 0 ? last : text.substring(at + 1));
  }

  /** What a file of this machine is called in the working directory. */
  static String nameOf(Path file) {
    return file.toAbsolutePath().normalize().getFileName().toString();
  }
}
