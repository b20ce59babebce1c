package dev.sailfish.ground.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a journal, used by one process at a time and by the peer that it was made for.
 * Nobody else may read it: entries and snapshots may have secrets in them.
 *
 * <pre>
 *   lock                              locked while the process runs
 *   identity                          layout, service, cluster, peer and peers that it belongs to
 *   raft/GROUP/current/               of Raft
 *     raft-meta                       the term, and whom this peer has voted for
 *     log_FIRST-LAST                  entries of the log, each an {@link EntryBatch}
 *     log_inprogress_FIRST            the same, being written
 *   raft/GROUP/sm/
 *     snapshot.TERM_INDEX             the state after that entry, as {@link StateView} writes it
 *     snapshot.TERM_INDEX.md5         its checksum, which is there before the snapshot is
 *     snapshot.TERM_INDEX.new         being written; of no use after a crash
 * </pre>
 */
final class JournalDirectory implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(JournalDirectory.class);

  /** 1 had one change in each entry of the log, without its time. */
  private static final String LAYOUT = "2";

  /** The directory of Raft in it. */
  static final String RAFT = "raft";

  private final Path root;
  private final FileChannel lockFile;

  private JournalDirectory(Path root, FileChannel lockFile) {
    this.root = root;
    this.lockFile = lockFile;
  }

  /**
   * Makes the directory if it is not there, and locks it.
   *
   * @throws IOException when it cannot be made, another process has it, or it belongs to another
   *     peer, other peers, another cluster or release
   */
  static JournalDirectory open(JournalSettings settings) throws IOException {
    Path root = settings.directory().orElseThrow().toAbsolutePath();
    JournalDirectory directory = new JournalDirectory(root, lock(root));
    try {
      directory.checkIdentity(settings);
      return directory;
    } catch (IOException | RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  /** Locks the directory for one who is no peer, whichever peer it belongs to. */
  static JournalDirectory lockOnly(Path directory) throws IOException {
    Path root = directory.toAbsolutePath();
    return new JournalDirectory(root, lock(root));
  }

  private static FileChannel lock(Path root) throws IOException {
    FileChannel channel;
    try {
      Files.createDirectories(root);
      Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
      channel =
          FileChannel.open(
              root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new IOException("journal directory " + root + " cannot be used: " + e, e);
    }
    FileLock lock = null;
    try {
      lock = channel.tryLock();
      if (lock != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      LOG.debug("locked in this process", e);
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    throw new IOException(
        "journal directory "
            + root
            + " is in use by another process: stop it, or give each its own directory");
  }

  private void checkIdentity(JournalSettings settings) throws IOException {
    String wanted =
        "layout=%s service=%s cluster=%s peer=%s peers=%s%n"
            .formatted(
                LAYOUT,
                settings.service(),
                settings.cluster(),
                settings.id(),
                JournalSettings.text(new TreeMap<>(settings.peers())));
    Path file = root.resolve("identity");
    if (!Files.exists(file)) {
      Path fresh = root.resolve("identity.new");
      Files.writeString(fresh, wanted);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      return;
    }
    String found = Files.readString(file);
    if (!found.equals(wanted)) {
      throw new IOException(
          "journal directory "
              + root
              + " holds the journal of another peer, cluster or release: journal: "
              + found.strip().replace("\n", " ")
              + "; configuration: "
              + wanted.strip()
              + "; name the right directory, or an empty one to begin without what it holds");
    }
  }

  /** Where entries and snapshots go. */
  Path raft() {
    return root.resolve(RAFT);
  }

  /** The directory itself. */
  Path root() {
    return root;
  }

  /** Lets others use the directory. */
  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
