package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.apache.hadoop.fs.FileSystem;

/**
 * Keeps symbolic links of a local file system inside of its mount: the process may read what the
 * user who made a link may not. Between the look and the call somebody can still make one: do not
 * mount a local tree where users write whom the lineage store must not trust.
 */
final class LocalBounds {
  private LocalBounds() {}

  /** Refuses a path that leads out, itself or through the directories above it. */
  static void require(HadoopMount mount, FileSystem fileSystem, UnderPath path) throws IOException {
    if (!Versions.isLocal(fileSystem)) {
      return;
    }
    Path root = Versions.local(mount.at(UnderPath.ROOT));
    Path at = Versions.local(mount.at(path));
    while (!Files.exists(at, LinkOption.NOFOLLOW_LINKS) && !at.equals(root)) {
      at = at.getParent();
    }
    boolean there = Files.exists(at);
    if (there && !at.toRealPath().startsWith(root.toRealPath())) {
      throw new UnderStoreException(
          Reason.DENIED,
          "'%s' of mount %s: a symbolic link leads out of the mount"
              .formatted(path, mount.mount()));
    }
  }
}
