package dev.sailfish.system.repository;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The project's own files: those that git tracks, or, without git or outside a repository, all that
 * no tool has made.
 */
record SourceTree(Path root, List<Path> files) {

  private static final Set<String> NOT_OURS =
      Set.of(".git", "target", ".idea", ".vscode", ".settings");

  /** The tree that the running test was built from. */
  static SourceTree ofThisProject() {
    Path start = Path.of(System.getProperty("basedir", ".")).toAbsolutePath().normalize();
    for (Path at = start; at != null; at = at.getParent()) {
      if (Files.isRegularFile(at.resolve(".mvn/import-control.xml"))) {
        return of(at);
      }
    }
    throw new IllegalStateException("no .mvn/import-control.xml in any parent of start=" + start);
  }

  private static SourceTree of(Path root) {
    try {
      List<Path> files = Files.exists(root.resolve(".git")) ? tracked(root) : List.of();
      if (files.isEmpty()) {
        files = walked(root);
      }
      return new SourceTree(root, files.stream().sorted(Comparator.naturalOrder()).toList());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list root=" + root, e);
    }
  }

  /** What git tracks and is there; empty when git cannot be run or refuses. */
  private static List<Path> tracked(Path root) throws IOException {
    Path listing = Files.createTempFile("tracked", ".txt");
    try {
      Process git =
          new ProcessBuilder("git", "ls-files", "-z")
              .directory(root.toFile())
              .redirectOutput(listing.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!ended(git) || git.exitValue() != 0) {
        return List.of();
      }
      List<Path> files = new ArrayList<>();
      for (String name : Files.readString(listing, StandardCharsets.UTF_8).split("\0")) {
        Path file = root.resolve(name);
        if (Files.isRegularFile(file)) {
          files.add(file);
        }
      }
      return files;
    } catch (IOException e) {
      System.err.println("git cannot be run, looking at all files: " + e.getMessage());
      return List.of();
    } finally {
      Files.delete(listing);
    }
  }

  private static boolean ended(Process git) {
    try {
      if (git.waitFor(30, TimeUnit.SECONDS)) {
        return true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    git.destroyForcibly();
    return false;
  }

  private static List<Path> walked(Path root) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return NOT_OURS.contains(directory.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }
}
