package dev.sailfish.benchmarks.store;

import java.io.IOException;
import java.nio.ByteBuffer;

/** One large file, in one way. */
enum LargeFile implements Work {
  /** Writes it. */
  WRITTEN {
    @Override
    public void prepare(Storage storage, Load load) {
      // It is made.
    }

    @Override
    public void run(Storage storage, Load load) throws IOException {
      new Pages(storage).write(NAME, load.bytes());
    }

    @Override
    public long written(Load load) {
      return load.bytes();
    }
  },
  /** Reads it into a buffer. */
  READ {
    @Override
    public void run(Storage storage, Load load) throws IOException {
      new Pages(storage).read(NAME, load.bytes());
    }
  },
  /** Reads it through mappings. */
  MAPPED {
    @Override
    public void run(Storage storage, Load load) throws IOException {
      try (Storage.Input in = storage.open(NAME)) {
        for (long at = 0; at < load.bytes(); ) {
          ByteBuffer mapped = in.map(at);
          if (!mapped.hasRemaining()) {
            throw new IOException("the file ends at " + at);
          }
          ByteBuffer bytes = mapped.slice();
          Pages.checkHeads(bytes, at);
          Pages.touch(bytes);
          at += bytes.remaining();
        }
      }
    }
  };

  private static final String NAME = "large";

  @Override
  public void prepare(Storage storage, Load load) throws IOException {
    new Pages(storage).write(NAME, load.bytes());
  }

  @Override
  public void verify(Storage storage, Load load) throws IOException {
    new Pages(storage).verify(NAME, load.bytes());
  }

  @Override
  public long amount(Load load) {
    return load.bytes();
  }
}
