package dev.sailfish.benchmarks.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Files whose bytes can be checked: each page of 4 KiB begins with its position in the file, and
 * the rest of it is zeros. For one thread.
 */
final class Pages {
  static final int MIB = 1 << 20;
  private static final int PAGE = 4096;

  private final Storage storage;
  private ByteBuffer output;
  private ByteBuffer input;

  Pages(Storage storage) {
    this.storage = storage;
  }

  void write(String name, long bytes) throws IOException {
    write(storage.create(name), bytes).join();
  }

  /**
   * Writes a file that was begun.
   *
   * @return done when it is closed
   */
  CompletableFuture<?> write(Storage.Output file, long bytes) throws IOException {
    if (output == null) {
      output = storage.outputBuffer(MIB);
    }
    try (Storage.Output out = file) {
      for (long at = 0; at < bytes; at += MIB) {
        output.clear().limit((int) Math.min(MIB, bytes - at));
        for (int page = 0; page + Long.BYTES <= output.limit(); page += PAGE) {
          output.putLong(page, at + page);
        }
        out.write(output);
      }
      return out.end();
    }
  }

  /** Reads a file, and looks at the beginning of each page. */
  void read(String name, long bytes) throws IOException {
    try (Storage.Input in = storage.open(name)) {
      for (long at = 0; at < bytes; at += MIB) {
        checkHeads(next(in, at, (int) Math.min(MIB, bytes - at)), at);
      }
    }
  }

  /** Reads a file once more, and looks at each byte and at its end. */
  void verify(String name, long bytes) throws IOException {
    try (Storage.Input in = storage.open(name)) {
      for (long at = 0; at < bytes; at += MIB) {
        checkAll(next(in, at, (int) Math.min(MIB, bytes - at)), at);
      }
      input.clear();
      if (in.read(input) > 0) {
        throw new IOException(name + " does not end at " + bytes);
      }
    }
  }

  /**
   * Reads the next bytes of a file.
   *
   * @param at where they are, for messages
   * @return valid until the next read
   */
  ByteBuffer next(Storage.Input in, long at, int bytes) throws IOException {
    if (input == null) {
      input = storage.inputBuffer(MIB);
    }
    input.clear().limit(bytes);
    while (input.hasRemaining() && in.read(input) >= 0) {
      // Until it is full.
    }
    if (input.hasRemaining()) {
      throw new IOException("the file ends before " + (at + bytes));
    }
    return input.flip();
  }

  /**
   * Looks at the beginning of each page.
   *
   * @param at where the bytes are in the file: at a page's beginning
   */
  static void checkHeads(ByteBuffer bytes, long at) throws IOException {
    for (int page = 0; page + Long.BYTES <= bytes.limit(); page += PAGE) {
      if (bytes.getLong(page) != at + page) {
        throw wrong(at + page);
      }
    }
  }

  private static void checkAll(ByteBuffer bytes, long at) throws IOException {
    for (int i = 0; i + Long.BYTES <= bytes.limit(); i += Long.BYTES) {
      if (bytes.getLong(i) != (i % PAGE == 0 ? at + i : 0)) {
        throw wrong(at + i);
      }
    }
  }

  private static IOException wrong(long at) {
    return new IOException("wrong bytes at " + at);
  }

  /** Reads all of it, as a program does that adds its numbers. */
  static void touch(ByteBuffer bytes) throws IOException {
    long sum = 0;
    for (int i = 0; i + Long.BYTES <= bytes.limit(); i += Long.BYTES) {
      sum += bytes.getLong(i);
    }
    if (sum == 1) {
      throw new IOException("impossible: the sum of even numbers");
    }
  }
}
