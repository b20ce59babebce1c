package dev.sailfish.lineage.understore;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * The file system behind one mount, as one user sees it. Thread-safe.
 *
 * <p>Methods wait for the under store on the caller's thread, not longer than the mount's deadline:
 * then they throw {@link UnderStoreTimeoutException}, and what was asked may still happen below.
 * When the mount's threads all hang they throw BUSY at once. An interrupted caller gets an {@link
 * java.io.InterruptedIOException}. Of any mount, readers and writers that are open and calls that
 * run need at most {@code (threads + streams) * buffer} bytes, beside what the file system's own
 * streams take.
 */
public interface UnderStore extends Closeable {
  /** The state of a file or directory; empty when there is none, or one that is being written. */
  Optional<UnderFile> status(UnderPath path) throws IOException;

  /**
   * What is different from the recorded file now, in words; empty when it is still that file.
   *
   * @param recorded of this mount
   */
  Optional<String> changed(UnderFile recorded) throws IOException;

  /** The entries of a directory; nothing is asked before its first page is. */
  UnderListing list(UnderPath directory) throws IOException;

  /**
   * Opens a file; close it.
   *
   * @param recorded the file as it must be
   * @throws UnderStoreException MISSING; CHANGED; BUSY: too many are open
   */
  UnderReader open(UnderFile recorded) throws IOException;

  /**
   * Begins a copy; close it. Directories above it are made. Whether the target may be replaced is
   * looked at when the copy is made.
   *
   * @throws UnderStoreException BUSY: too many are open; READ_ONLY
   */
  CopyWriter write(CopyTarget target) throws IOException;

  /**
   * Reads a copy back; waits for all of it, with a deadline for each buffer.
   *
   * @return the file that it was read from: the record's, unless it was replaced by the same
   *     content or touched, and then to be journaled in its place
   * @throws UnderStoreException DAMAGED: length or checksum are not the record's; MISSING
   */
  UnderFile verify(CopyRecord record) throws IOException;

  /** Makes a directory and those above it that are missing. */
  void makeDirectories(UnderPath directory) throws IOException;

  /**
   * Makes a directory, and those above it that are missing, into which everyone may move files, and
   * which only its owner lists; one that is there stays as it is.
   */
  void makeSharedDirectory(UnderPath directory) throws IOException;

  /**
   * Deletes a file or directory.
   *
   * @param recursive whether a directory may have entries, which then go too
   * @return whether there was one
   */
  boolean delete(UnderPath path, boolean recursive) throws IOException;

  /**
   * Renames a file or directory. Where that is not one step, and it fails or times out, a part of a
   * directory's files may be under either name.
   *
   * @return what is there now; its version may be another one, and that of each file in it
   * @throws UnderStoreException MISSING; EXISTS: nothing is replaced
   */
  UnderFile rename(UnderPath from, UnderPath to) throws IOException;

  /**
   * Removes what dead writers have left in a directory and below it: temporary names, older than
   * {@code age} by the clocks of this process and of the under store, and not of a writer of this
   * process. Some under stores show a file that is being written as old as its first byte: {@code
   * age} must be longer than any copy takes, and than the clocks are apart. Waits, with a deadline
   * for each page.
   *
   * @return how many
   */
  int sweep(UnderPath directory, Duration age) throws IOException;

  /** Does not wait, and never fails. Readers and writers must be closed before. */
  @Override
  void close();
}
