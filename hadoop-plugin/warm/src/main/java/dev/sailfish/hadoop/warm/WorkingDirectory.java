package dev.sailfish.hadoop.warm;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The working directory of a container: what an attempt has left there is deleted, and what it has
 * changed is found. Its {@code job.xml} is each attempt's own, and {@code tmp} is emptied.
 */
final class WorkingDirectory {
  private static final Set<String> OF_ATTEMPTS = Set.of("job.xml", ".job.xml.crc");
  private static final String TEMPORARY = "tmp";

  private final Path directory;
  private final Map<String, String> before;

  /**
   * As it is before the first attempt.
   *
   * @throws IOException when it cannot be read
   */
  WorkingDirectory(Path directory) throws IOException {
    this.directory = directory;
    before = list();
  }

  /** Of this process. */
  static WorkingDirectory ofProcess() throws IOException {
    return new WorkingDirectory(new File("").getAbsoluteFile().toPath());
  }

  /**
   * Deletes what is new.
   *
   * @return names of what was there before the first attempt and is changed or missing
   * @throws IOException when something cannot be deleted
   */
  List<String> sweep() throws IOException {
    Map<String, String> now = list();
    for (String name : now.keySet()) {
      if (!before.containsKey(name)) {
        delete(directory.resolve(name));
      }
    }
    emptyTemporary();
    List<String> changed = new ArrayList<>();
    before.forEach(
        (name, what) -> {
          if (!what.equals(now.get(name))) {
            changed.add(name);
          }
        });
    return changed;
  }

  private void emptyTemporary() throws IOException {
    Path temporary = directory.resolve(TEMPORARY);
    if (Files.isDirectory(temporary, LinkOption.NOFOLLOW_LINKS)) {
      for (Path path : children(temporary)) {
        delete(path);
      }
    }
  }

  /** By name, what tells an entry from another one of that name. */
  private Map<String, String> list() throws IOException {
    Map<String, String> entries = new TreeMap<>();
    for (Path path : children(directory)) {
      String name = path.getFileName().toString();
      if (!OF_ATTEMPTS.contains(name)) {
        entries.put(name, describe(path));
      }
    }
    return entries;
  }

  private static String describe(Path path) throws IOException {
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return "gone";
    }
    if (attributes.isSymbolicLink()) {
      return "link " + Files.readSymbolicLink(path);
    }
    if (attributes.isRegularFile()) {
      return "file " + attributes.size() + " " + attributes.lastModifiedTime().toMillis();
    }
    return attributes.isDirectory() ? "directory " + attributes.fileKey() : "other";
  }

  private static List<Path> children(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    }
  }

  /** With all that is below it; links are not followed. */
  private static void delete(Path path) throws IOException {
    Files.walkFileTree(
        path,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path below, IOException failure)
              throws IOException {
            Files.deleteIfExists(below);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
