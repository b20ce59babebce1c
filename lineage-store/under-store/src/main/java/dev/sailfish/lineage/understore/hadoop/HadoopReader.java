package dev.sailfish.lineage.understore.hadoop;

import dev.sailfish.lineage.understore.UnderFile;
import dev.sailfish.lineage.understore.UnderPath;
import dev.sailfish.lineage.understore.UnderReader;
import dev.sailfish.lineage.understore.UnderStoreException;
import dev.sailfish.lineage.understore.UnderStoreException.Reason;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.util.functional.FutureIO;

/**
 * An open file. Bytes go through a buffer of the thread that reads, and from there to the caller if
 * it still waits: a thread that hangs never writes to memory that is the caller's again.
 */
final class HadoopReader implements UnderReader {
  /** Beginning in sequence; S3A's is changed by the first range that is not. */
  private static final String POLICY = OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_ADAPTIVE;

  private final HadoopUnderStore store;
  private final UnderFile file;
  private boolean broken;
  private boolean closed;

  /** Touched on threads of the calls, one after the other. */
  private FSDataInputStream stream;

  private boolean released;

  private HadoopReader(HadoopUnderStore store, UnderFile file) {
    this.store = store;
    this.file = file;
  }

  static HadoopReader open(HadoopUnderStore store, UnderFile recorded) throws IOException {
    store.mount().takeStream("opening", recorded.path());
    HadoopReader reader = new HadoopReader(store, recorded);
    reader.call(
        "opening",
        (fileSystem, caller) -> {
          reader.begin(fileSystem);
          return null;
        });
    return reader;
  }

  private void begin(FileSystem fileSystem) throws IOException {
    FileStatus status = fileSystem.getFileStatus(store.mount().at(file.path()));
    requireSame(Versions.file(fileSystem, file.path(), status));
    if (status.isDirectory()) {
      throw new UnderStoreException(
          Reason.INVALID, "opening " + store.place(file.path()) + ": it is a directory");
    }
    stream =
        FutureIO.awaitFuture(
            fileSystem
                .openFile(status.getPath())
                .withFileStatus(status)
                .opt(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY, POLICY)
                .build());
  }

  private void requireSame(UnderFile now) throws UnderStoreException {
    Optional<String> difference = now.differenceFrom(file);
    if (difference.isPresent()) {
      throw new UnderStoreException(
          Reason.CHANGED, store.place(file.path()) + " has changed: " + difference.get());
    }
  }

  /** After a failure the reader is broken, and is closed by the one that comes last. */
  private void call(String what, HadoopUnderStore.Work<Void> work) throws IOException {
    if (broken || closed) {
      throw new UnderStoreException(
          Reason.INVALID,
          "%s %s: the reader %s".formatted(what, path(), closed ? "is closed" : "failed before"));
    }
    try {
      store.call(what, path(), store.mount().deadline(), work, result -> release());
    } catch (IOException | RuntimeException | Error e) {
      broken = true;
      if (!isLate(e)) {
        clearUp();
      }
      throw e;
    }
  }

  /** Whether the call goes on without its caller, and clears up at its end. */
  static boolean isLate(Throwable failure) {
    return failure instanceof InterruptedIOException
        || failure instanceof UnderStoreException e && e.reason() == Reason.TIMEOUT;
  }

  private UnderPath path() {
    return file.path();
  }

  @Override
  public UnderFile file() {
    return file;
  }

  @Override
  public int read(long offset, ByteBuffer destination) throws IOException {
    if (offset < 0) {
      throw new IllegalArgumentException("offset=" + offset + " must not be negative");
    }
    long left = Math.max(0, file.length() - offset);
    int length = (int) Math.min(left, destination.remaining());
    for (int done = 0; done < length; ) {
      int piece = Math.min(length - done, store.mount().bufferBytes());
      long at = offset + done;
      call(
          "reading",
          (fileSystem, caller) -> {
            byte[] buffer = store.mount().threadBuffer();
            stream.readFully(at, buffer, 0, piece);
            caller.deliver(() -> destination.put(buffer, 0, piece));
            return null;
          });
      done += piece;
    }
    return length;
  }

  @Override
  public void transfer(long offset, long length, WritableByteChannel destination)
      throws IOException {
    ByteBuffer buffer =
        ByteBuffer.allocate((int) Math.min(Math.max(1, length), store.mount().bufferBytes()));
    for (long done = 0; done < length; ) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), length - done));
      int read = read(offset + done, buffer);
      if (buffer.hasRemaining()) {
        throw new UnderStoreException(
            Reason.CHANGED,
            "%s ends at %d, before the range from %d that is %d bytes long"
                .formatted(store.place(path()), file.length(), offset, length));
      }
      buffer.flip();
      while (buffer.hasRemaining()) {
        destination.write(buffer);
      }
      done += read;
    }
  }

  @Override
  public void requireUnchanged() throws IOException {
    call(
        "asking for",
        (fileSystem, caller) -> {
          FileStatus status = fileSystem.getFileStatus(store.mount().at(path()));
          requireSame(Versions.file(fileSystem, path(), status));
          return null;
        });
  }

  @Override
  public void close() {
    if (!closed && !broken) {
      clearUp();
    }
    closed = true;
  }

  private void clearUp() {
    if (stream != null) {
      store.clearUp(path(), this::release);
    } else {
      release();
    }
  }

  /** On a thread of the calls, when none of them uses it any more. */
  private synchronized void release() {
    if (released) {
      return;
    }
    released = true;
    if (stream != null) {
      store
          .files()
          .clearUp(
              path(),
              fileSystem -> {
                stream.close();
                return null;
              });
    }
    store.mount().returnStream();
  }
}
