package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.lineage.qfs.wire.QfsException;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.security.AccessControlException;

/**
 * The exceptions by which Hadoop's users know what QFS has refused. What cannot be a name in QFS is
 * a {@link PathIOException}.
 */
final class QfsRefusals {
  private QfsRefusals() {}

  /** Something that QFS may refuse. */
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
    } catch (QfsException e) {
      throw switch (e.error()) {
        case ENOENT, ENOTDIR, EISDIR -> notFound(path, e);
        default -> exception(path, e);
      };
    } catch (IllegalArgumentException e) {
      throw new PathIOException(path.toString(), e);
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
    } catch (QfsException e) {
      throw exception(path, e);
    } catch (IllegalArgumentException e) {
      throw new PathIOException(path.toString(), e);
    }
  }

  private static IOException exception(Path path, QfsException e) {
    String message = path + ": " + e.getMessage();
    IOException known =
        switch (e.error()) {
          case ENOENT -> notFound(path, e);
          case EEXIST, EISDIR -> new FileAlreadyExistsException(message);
          case ENOTDIR -> new ParentNotDirectoryException(message);
          case ENOTEMPTY -> new PathIsNotEmptyDirectoryException(path.toString());
          case ENOSPC, EDQUOT -> new ClusterStorageCapacityExceededException(message, e);
          case EPERM, EACCES -> new AccessControlException(message);
          default -> new PathIOException(path.toString(), e);
        };
    if (known.getCause() == null) {
      known.initCause(e);
    }
    return known;
  }

  private static IOException notFound(Path path, QfsException e) {
    IOException known = new FileNotFoundException(path + ": " + e.getMessage());
    known.initCause(e);
    return known;
  }
}
