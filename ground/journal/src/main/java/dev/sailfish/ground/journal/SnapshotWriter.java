package dev.sailfish.ground.journal;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.AtomicFileOutputStream;
import org.apache.ratis.util.MD5FileUtil;

/**
 * Writes snapshots, one at a time, on a thread of its own: piece by piece into memory, while
 * nothing is applied, and from there to the disk, while entries go on being applied. Started and
 * cancelled by Raft's threads.
 */
final class SnapshotWriter {
  private static final long CANCEL_MS = 30_000;

  private final Journal.Machine machine;
  private final SimpleStateMachineStorage storage;
  private final Runnable onComplete;
  private Thread thread;
  private volatile boolean cancelled;
  private volatile SingleFileSnapshotInfo complete;
  private volatile long lastBytes;

  /**
   * @param onComplete called on the writer's thread
   */
  SnapshotWriter(Journal.Machine machine, SimpleStateMachineStorage storage, Runnable onComplete) {
    this.machine = machine;
    this.storage = storage;
    this.onComplete = onComplete;
  }

  /**
   * Begins to write the state that there is now, which no entry may change meanwhile.
   *
   * @return false when one is still being written
   */
  synchronized boolean start(TermIndex at) {
    if (cancelled || (thread != null && thread.isAlive())) {
      return false;
    }
    StateView view = machine.freeze();
    thread = new Thread(() -> write(view, at), "journal-snapshot");
    thread.setDaemon(true);
    thread.start();
    return true;
  }

  /** A snapshot that was written before, or elsewhere, is the newest one. */
  void loaded(long bytes) {
    lastBytes = bytes;
  }

  /** Length of the newest snapshot; 0 before the first one. */
  long lastBytes() {
    return lastBytes;
  }

  /** The newest snapshot that was completed here, or null. */
  SingleFileSnapshotInfo complete() {
    return complete;
  }

  /**
   * Gives up what is being written, and waits until it is let go: no longer than for a piece.
   *
   * @throws IOException when the disk does not take a piece
   */
  synchronized void cancel() throws IOException {
    if (thread == null) {
      return;
    }
    cancelled = true;
    try {
      thread.join(CANCEL_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      throw new InterruptedIOException("a snapshot is still being written ms=" + CANCEL_MS);
    }
    cancelled = false;
  }

  private void write(StateView view, TermIndex at) {
    File file = storage.getSnapshotFile(at.getTerm(), at.getIndex());
    try (view) {
      MD5Hash checksum = write(view, file);
      if (checksum != null) {
        lastBytes = file.length();
        complete = new SingleFileSnapshotInfo(new FileInfo(file.toPath(), checksum), at);
        onComplete.run();
      }
    } catch (Error | IOException | RuntimeException e) {
      machine.failed("a snapshot cannot be written: file=" + file + ": " + e, e);
    }
  }

  /**
   * Writes the file as a whole, or not at all, and its checksum before it has its name.
   *
   * @return the checksum, or null when this was cancelled
   */
  private MD5Hash write(StateView view, File file) throws IOException {
    File unfinished = new File(file.getPath() + ".new");
    AtomicFileOutputStream whole = new AtomicFileOutputStream(file, unfinished);
    MessageDigest digest = MD5FileUtil.newMD5();
    OutputStream out = new DigestOutputStream(whole, digest);
    MD5Hash checksum = null;
    try {
      Files.setPosixFilePermissions(
          unfinished.toPath(), PosixFilePermissions.fromString("rw-------"));
      ByteArrayOutputStream piece = new ByteArrayOutputStream();
      boolean more = true;
      while (more && !cancelled) {
        more = view.write(piece);
        piece.writeTo(out);
        piece.reset();
      }
      if (!more) {
        checksum = MD5Hash.newInstance(digest.digest());
        MD5FileUtil.saveMD5File(file, checksum);
      }
    } finally {
      if (checksum == null) {
        whole.abort();
      } else {
        whole.close();
      }
    }
    return checksum;
  }
}
