package dev.sailfish.benchmarks.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A storage under test, as one thread sees it. */
interface Storage extends Closeable {
  /** A file that is being written. */
  interface Output extends Closeable {
    /** Writes all bytes from position to limit of a buffer that the storage has made. */
    void write(ByteBuffer bytes) throws IOException;

    /** Closes it; without a wait, if {@link InFlight} wants that. */
    default CompletableFuture<?> end() throws IOException {
      close();
      return CompletableFuture.completedFuture(null);
    }
  }

  /** A file that is being read. */
  interface Input extends Closeable {
    /** The next read begins there. */
    void seek(long position) throws IOException;

    /**
     * Reads the next bytes into a buffer that the storage has made.
     *
     * @return how many; below 0 at the end
     */
    int read(ByteBuffer into) throws IOException;

    /**
     * The bytes from a position on, mapped: as many as one mapping has.
     *
     * @return valid until the next one, or until the file is closed
     * @throws UnsupportedOperationException the storage maps nothing
     */
    ByteBuffer map(long position) throws IOException;
  }

  /** A buffer of the kind that this storage writes from as it is. */
  default ByteBuffer outputBuffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes);
  }

  /** A buffer of the kind that this storage reads into as it is. */
  default ByteBuffer inputBuffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes);
  }

  /** Makes a file of this name in the thread's own directory; takes the place of one there is. */
  Output create(String name) throws IOException;

  /** The same; without a wait, if {@link InFlight} wants that. */
  default CompletableFuture<? extends Output> begin(String name) throws IOException {
    return CompletableFuture.completedFuture(create(name));
  }

  /** Opens a file that is complete. */
  Input open(String name) throws IOException;

  /** Asks for the length of a file. */
  long length(String name) throws IOException;

  /** Makes a file and closes it at once; without a wait, if {@link InFlight} wants that. */
  default CompletableFuture<?> makeEmpty(String name) throws IOException {
    create(name).close();
    return CompletableFuture.completedFuture(null);
  }

  /** Asks for the length of a file; without a wait, if {@link InFlight} wants that. */
  default CompletableFuture<Long> askLength(String name) throws IOException {
    return CompletableFuture.completedFuture(length(name));
  }

  /** Removes the thread's directory with all its files. */
  void clear() throws IOException;
}
