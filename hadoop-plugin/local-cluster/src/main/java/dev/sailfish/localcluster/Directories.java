package dev.sailfish.localcluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Deletes what clusters and jobs have written. */
public final class Directories {
  private Directories() {}

  /**
   * Deletes a directory with all that is in it, links but not what they lead to; nothing happens if
   * there is none, or where somebody else deletes at the same time.
   */
  public static void delete(Path path) {
    try {
      if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(path)) {
          children.forEach(Directories::delete);
        }
      }
      Files.deleteIfExists(path);
    } catch (NoSuchFileException e) {
      return; // it went while we looked: that is what was wanted
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
