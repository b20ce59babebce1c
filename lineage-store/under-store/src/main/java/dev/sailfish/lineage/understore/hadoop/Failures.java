package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountedPath;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.security.AccessControlException;

/** What a file system's own failures mean. */
final class Failures {
  /** S3A's word for a file that is another one than the one that was opened; not compiled with. */
  private static final String REMOTE_CHANGED = "RemoteFileChangedException";

  private Failures() {}

  /**
   * @param what was done: "reading"
   */
  static UnderStoreException of(String what, Mount mount, UnderPath path, Throwable failure) {
    if (failure instanceof UnderStoreException known) {
      return known;
    }
    MountedPath place = new MountedPath(mount, path);
    String reason = failure.getMessage() == null ? "" : ": " + failure.getMessage();
    return new UnderStoreException(
        reason(failure),
        "%s %s (%s) failed: %s%s"
            .formatted(
                what,
                place.lineagePath(),
                place.underText(),
                failure.getClass().getSimpleName(),
                reason),
        failure);
  }

  private static Reason reason(Throwable failure) {
    if (failure instanceof FileNotFoundException || failure instanceof NoSuchFileException) {
      return Reason.MISSING;
    }
    if (failure instanceof FileAlreadyExistsException
        || failure instanceof java.nio.file.FileAlreadyExistsException) {
      return Reason.EXISTS;
    }
    if (failure instanceof AccessControlException || failure instanceof AccessDeniedException) {
      return Reason.DENIED;
    }
    if (failure instanceof InvalidPathException || failure instanceof IllegalArgumentException) {
      return Reason.INVALID;
    }
    boolean changed =
        failure instanceof EOFException
            || failure.getClass().getSimpleName().equals(REMOTE_CHANGED);
    return changed ? Reason.CHANGED : Reason.FAILED;
  }
}
