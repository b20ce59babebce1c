package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.lineage.understore.CopyKind;
import dev.sailfish.lineage.understore.mount.Mount;
import dev.sailfish.lineage.understore.mount.MountKey;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;

/** How a copy comes under its name. */
enum Publication {
  /** By a rename in one step. */
  ATOMIC_RENAME(CopyKind.RENAMED),

  /** The under store shows nothing of a file before all of it is there, as S3 does. */
  ATOMIC_CLOSE(CopyKind.RECORDED),

  /** By a rename that may be a copy of the bytes, or may end in the middle. */
  OTHER_RENAME(CopyKind.RECORDED);

  private static final Set<String> RENAMING = Set.of("file", "hdfs", "qfs", "webhdfs", "swebhdfs");

  private final CopyKind kind;

  Publication(CopyKind kind) {
    this.kind = kind;
  }

  /** What the mount says, or what is known of the file system; may ask it. */
  static Publication of(Mount mount, FileSystem fileSystem, Path path) throws IOException {
    String rename = mount.get(MountKey.RENAME);
    boolean renames =
        rename.equals("atomic")
            || rename.equals("auto") && RENAMING.contains(mount.root().getScheme());
    if (renames) {
      return ATOMIC_RENAME;
    }
    return fileSystem.hasPathCapability(path, CommonPathCapabilities.ABORTABLE_STREAM)
        ? ATOMIC_CLOSE
        : OTHER_RENAME;
  }

  CopyKind kind() {
    return kind;
  }

  boolean renames() {
    return this != ATOMIC_CLOSE;
  }

  /**
   * Gives a whole file its name.
   *
   * @param replaces whether there is a file of that name, which goes
   * @return whether it was done; not when there is a file that must not go
   */
  boolean rename(FileSystem fileSystem, Path from, Path to, boolean replaces) throws IOException {
    if (Versions.isLocal(fileSystem)) {
      boolean done = fileSystem.rename(from, to);
      syncNames(Versions.local(to).getParent());
      return done;
    }
    if (replaces) {
      new Replacing(fileSystem).replace(from, to);
      return true;
    }
    return fileSystem.rename(from, to);
  }

  /** Hadoop has no way to say it; without it a power failure may take the name. */
  private static void syncNames(java.nio.file.Path directory) throws IOException {
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  /** For the rename that replaces, which file systems have and do not show. */
  private static final class Replacing extends FilterFileSystem {
    Replacing(FileSystem fileSystem) {
      super(fileSystem);
    }

    /** In one step where the file system has it; elsewhere there is no file for a moment. */
    void replace(Path from, Path to) throws IOException {
      rename(from, to, Rename.OVERWRITE);
    }
  }
}
