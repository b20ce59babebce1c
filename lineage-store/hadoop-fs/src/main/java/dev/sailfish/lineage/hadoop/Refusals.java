package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.StoreRefusedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.security.AccessControlException;

/** The exceptions by which Hadoop's users know what the master has refused. */
final class Refusals {
  private Refusals() {}

  /** Something that the master may refuse. */
  @FunctionalInterface
  interface Asked<T> {
    T ask() throws IOException;
  }

  /**
   * Asks for something that is to be there: a path below a file is not.
   *
   * @param path for messages
   */
  static <T> T lookUp(Path path, Asked<T> asked) throws IOException {
    try {
      return asked.ask();
    } catch (StoreRefusedException e) {
      throw switch (e.reason()) {
        case NOT_FOUND, NOT_A_DIRECTORY, IS_A_DIRECTORY, NOT_COMPLETE -> notFound(path, e);
        default -> exception(path, e);
      };
    }
  }

  /**
   * Asks for something that is to be made.
   *
   * @param path for messages
   */
  static <T> T make(Path path, Asked<T> asked) throws IOException {
    try {
      return asked.ask();
    } catch (StoreRefusedException e) {
      throw exception(path, e);
    }
  }

  /** The exception for something that was to be made. */
  static IOException exception(Path path, StoreRefusedException e) {
    String message = path + ": " + e.getMessage();
    IOException known =
        switch (e.reason()) {
          case NOT_FOUND -> notFound(path, e);
          case EXISTS, IS_A_DIRECTORY -> new FileAlreadyExistsException(message);
          case NOT_A_DIRECTORY -> new ParentNotDirectoryException(message);
          case NOT_EMPTY -> new PathIsNotEmptyDirectoryException(path.toString());
          case QUOTA -> new ClusterStorageCapacityExceededException(message, e);
          case DENIED -> new AccessControlException(message);
          default -> new PathIOException(path.toString(), e);
        };
    if (known.getCause() == null) {
      known.initCause(e);
    }
    return known;
  }

  private static IOException notFound(Path path, StoreRefusedException e) {
    IOException known = new FileNotFoundException(path + ": " + e.getMessage());
    known.initCause(e);
    return known;
  }
}
