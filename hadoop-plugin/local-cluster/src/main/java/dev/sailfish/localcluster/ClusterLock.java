package dev.sailfish.localcluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * A claim on a work directory that other commands respect; it ends with {@link #close}, or with the
 * process, however that ends. The lock file stays, and tells a work directory from any other.
 */
record ClusterLock(FileChannel channel) implements AutoCloseable {
  /**
   * Claims a directory, which is created when missing.
   *
   * @param layout of the work directory
   * @param file the lock file in it
   * @param busy the sentence for the user when another command holds the claim
   */
  static ClusterLock acquire(ClusterLayout layout, Path file, String busy) {
    try {
      requireOwnDirectory(layout);
      Files.createDirectories(layout.home());
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!isLocked(channel)) {
        channel.close();
        throw new CommandException(busy);
      }
      return new ClusterLock(channel);
    } catch (IOException e) {
      throw new CommandException("Cannot use the directory " + layout.home() + ": " + e, e);
    }
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // held by this very process
    }
  }

  /** A start empties its data directory: that must not be a directory of the user's. */
  private static void requireOwnDirectory(ClusterLayout layout) throws IOException {
    if (!Files.exists(layout.home())
        || Files.exists(layout.startLock())
        || Files.exists(layout.sessionLock())) {
      return;
    }
    try (Stream<Path> files = Files.list(layout.home())) {
      if (files.findAny().isPresent()) {
        throw new CommandException(
            layout.home()
                + " holds something that is no local cluster: name an empty or a new directory.");
      }
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new CommandException("Cannot let go of the lock: " + e.getMessage(), e);
    }
  }
}
