package dev.sailfish.benchmarks.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** What one thread does; all is done with a storage that is warm. */
enum StoreWork {
  /** Writes one file. */
  WRITE(true) {
    @Override
    void prepare(Storage storage, long bytes, int files) {
      // Nothing has to be there.
    }

    @Override
    void run(Storage storage, long bytes, int files) throws IOException {
      write(storage, FILE, bytes);
    }
  },
  /** Reads one file into a direct buffer. */
  READ(true) {
    @Override
    void prepare(Storage storage, long bytes, int files) throws IOException {
      write(storage, FILE, bytes);
    }

    @Override
    void run(Storage storage, long bytes, int files) throws IOException {
      read(storage, FILE, bytes);
    }
  },
  /** Reads one file through mappings. */
  READ_MAPPED(true) {
    @Override
    void prepare(Storage storage, long bytes, int files) throws IOException {
      write(storage, FILE, bytes);
    }

    @Override
    void run(Storage storage, long bytes, int files) throws IOException {
      try (Storage.Input in = storage.open(FILE)) {
        for (long at = 0; at < bytes; ) {
          ByteBuffer mapped = in.map(at);
          check(mapped, at);
          touch(mapped);
          at += mapped.remaining();
        }
      }
    }
  },
  /** Writes files of 1 MiB. */
  FILES_1M(false) {
    @Override
    void prepare(Storage storage, long bytes, int files) {
      // Nothing has to be there.
    }

    @Override
    void run(Storage storage, long bytes, int files) throws IOException {
      InFlight requests = new InFlight();
      Deque<CompletableFuture<? extends Storage.Output>> begun = new ArrayDeque<>();
      for (int i = 0; i < files; i++) {
        begun.add(storage.begin("small-" + i));
        if (begun.size() == InFlight.MOST) {
          requests.begin();
          requests.add(write(begun.remove().join(), MIB));
        }
      }
      while (!begun.isEmpty()) {
        requests.begin();
        requests.add(write(begun.remove().join(), MIB));
      }
      requests.end();
    }
  },
  /** Reads files of 1 MiB. */
  FILES_1M_READ(false) {
    @Override
    void prepare(Storage storage, long bytes, int files) throws IOException {
      FILES_1M.run(storage, bytes, files);
    }

    @Override
    void run(Storage storage, long bytes, int files) throws IOException {
      for (int i = 0; i < files; i++) {
        read(storage, "small-" + i, MIB);
      }
    }
  },
  /** Creates empty files and closes them. */
  CREATES(false) {
    @Override
    void prepare(Storage storage, long bytes, int files) {
      // Nothing has to be there.
    }

    @Override
    void run(Storage storage, long bytes, int files) throws IOException {
      InFlight requests = new InFlight();
      for (int i = 0; i < files; i++) {
        requests.begin();
        requests.add(storage.makeEmpty("empty-" + i));
      }
      requests.end();
    }
  },
  /** Asks for the lengths of files. */
  STATS(false) {
    @Override
    void prepare(Storage storage, long bytes, int files) throws IOException {
      for (int i = 0; i < DIFFERENT; i++) {
        storage.create("empty-" + i).close();
      }
    }

    @Override
    void run(Storage storage, long bytes, int files) throws IOException {
      InFlight requests = new InFlight();
      for (int i = 0; i < files; i++) {
        requests.begin();
        requests.add(storage.askLength("empty-" + i % DIFFERENT).thenAccept(StoreWork::checkEmpty));
      }
      requests.end();
    }
  };

  static final int MIB = 1 << 20;
  private static final String FILE = "large";
  private static final int DIFFERENT = 100;
  private static final int PAGE = 4096;

  private static final ThreadLocal<ByteBuffer> BUFFER =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(MIB));

  /** Whether its figure is MB a second; else things a second. */
  final boolean inBytes;

  StoreWork(boolean inBytes) {
    this.inBytes = inBytes;
  }

  /** Its name in reports. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** What has to be there; not measured. */
  abstract void prepare(Storage storage, long bytes, int files) throws IOException;

  /**
   * What is measured.
   *
   * @param bytes of the one file, if there is one
   * @param files how many, if there are many
   */
  abstract void run(Storage storage, long bytes, int files) throws IOException;

  private static void checkEmpty(long length) {
    if (length != 0) {
      throw new IllegalStateException("an empty file is not empty");
    }
  }

  /** Each page begins with its position in the file, so that what is read can be checked. */
  private static void write(Storage storage, String name, long bytes) throws IOException {
    write(storage.create(name), bytes).join();
  }

  private static CompletableFuture<?> write(Storage.Output file, long bytes) throws IOException {
    ByteBuffer buffer = BUFFER.get();
    try (Storage.Output out = file) {
      for (long at = 0; at < bytes; at += MIB) {
        buffer.clear().limit((int) Math.min(MIB, bytes - at));
        for (int page = 0; page < buffer.limit(); page += PAGE) {
          buffer.putLong(page, at + page);
        }
        out.write(buffer);
      }
      return out.end();
    }
  }

  private static void read(Storage storage, String name, long bytes) throws IOException {
    ByteBuffer buffer = BUFFER.get();
    try (Storage.Input in = storage.open(name)) {
      for (long at = 0; at < bytes; at += MIB) {
        buffer.clear().limit((int) Math.min(MIB, bytes - at));
        while (buffer.hasRemaining() && in.read(buffer) >= 0) {
          // Until it is full.
        }
        if (buffer.hasRemaining()) {
          throw new IOException("the file ends before " + (at + buffer.limit()));
        }
        check(buffer.flip(), at);
      }
    }
  }

  private static void check(ByteBuffer bytes, long at) throws IOException {
    for (int page = 0; page < bytes.limit(); page += PAGE) {
      if (bytes.getLong(page) != at + page) {
        throw new IOException("wrong bytes at " + (at + page));
      }
    }
  }

  /** Reads all of it, as a program does that adds its numbers. */
  private static void touch(ByteBuffer bytes) throws IOException {
    long sum = 0;
    for (int i = 0; i + Long.BYTES <= bytes.limit(); i += Long.BYTES) {
      sum += bytes.getLong(i);
    }
    if (sum == 1) {
      throw new IOException("impossible: the sum of even numbers");
    }
  }
}
