package dev.sailfish.metaserver;

import java.io.Closeable;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Properties;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a journal, used by one process at a time and by the peer that it was made for.
 *
 * <p>Nobody else may read it: entries and snapshots have jobs' keys in them.
 *
 * <pre>
 *   lock      locked while a metaserver runs
 *   identity  cluster, peer and peers that the journal belongs to
 *   raft/     entries and snapshots
 * </pre>
 */
final class JournalDirectory implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(JournalDirectory.class);
  private static final String LAYOUT = "1";

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
   *     peer, other peers or another cluster
   */
  static JournalDirectory open(Path root, JournalConfig config) throws IOException {
    Path absolute = root.toAbsolutePath();
    FileChannel lockFile = lock(absolute);
    boolean good = false;
    try {
      JournalDirectory directory = new JournalDirectory(absolute, lockFile);
      directory.checkIdentity(config);
      good = true;
      return directory;
    } finally {
      if (!good) {
        lockFile.close();
      }
    }
  }

  private static FileChannel lock(Path root) throws IOException {
    FileChannel channel;
    try {
      Files.createDirectories(root);
      // Entries and snapshots have jobs' keys in them.
      Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
      channel =
          FileChannel.open(
              root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new IOException(key(root) + " cannot be used: " + e, e);
    }
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      LOG.debug("locked in this process", e);
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    if (lock == null) {
      throw new IOException(
          key(root)
              + " is in use by another metaserver that runs: stop it, or give each its own"
              + " directory");
    }
    return channel;
  }

  private static String key(Path root) {
    return MetaserverKey.JOURNAL_DIR.name() + "=" + root;
  }

  private void checkIdentity(JournalConfig config) throws IOException {
    Properties wanted = new Properties();
    wanted.setProperty("layout", LAYOUT);
    wanted.setProperty("cluster", config.cluster());
    wanted.setProperty("peer", config.id());
    wanted.setProperty("peers", JournalConfig.text(new TreeMap<>(config.peers())));
    Path file = root.resolve("identity");
    if (!Files.exists(file)) {
      write(file, wanted);
      return;
    }
    Properties found = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      found.load(reader);
    }
    for (String name : new String[] {"layout", "cluster", "peer", "peers"}) {
      String was = found.getProperty(name, "");
      if (!was.equals(wanted.getProperty(name))) {
        throw new IOException(
            key(root)
                + " holds the journal of another "
                + name
                + ": journal="
                + was
                + " configuration="
                + wanted.getProperty(name)
                + "; name the right directory, or an empty one to begin without the old jobs");
      }
    }
  }

  private static void write(Path file, Properties identity) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try (Writer writer = Files.newBufferedWriter(fresh)) {
      identity.store(writer, "Whose journal this is. Written by the metaserver.");
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Where entries and snapshots go. */
  Path raft() {
    return root.resolve("raft");
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
