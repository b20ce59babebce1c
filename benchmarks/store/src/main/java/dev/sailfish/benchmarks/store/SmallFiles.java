package dev.sailfish.benchmarks.store;

import java.io.IOException;

/** Files of 1 MiB, written or read. */
enum SmallFiles implements Work {
  /** Writes them. */
  WRITTEN {
    @Override
    public void prepare(Storage storage, Load load) {
      // They are made.
    }

    @Override
    public void run(Storage storage, Load load) throws IOException {
      write(storage, load);
    }
  },
  /** Reads them. */
  READ {
    @Override
    public void run(Storage storage, Load load) throws IOException {
      Pages pages = new Pages(storage);
      for (int i = 0; i < load.files(); i++) {
        pages.read(file(i), Pages.MIB);
      }
    }
  };

  private static String file(int number) {
    return "small-" + number;
  }

  private static void write(Storage storage, Load load) throws IOException {
    Pages pages = new Pages(storage);
    for (int i = 0; i < load.files(); i++) {
      pages.write(file(i), Pages.MIB);
    }
  }

  @Override
  public void prepare(Storage storage, Load load) throws IOException {
    write(storage, load);
  }

  @Override
  public void verify(Storage storage, Load load) throws IOException {
    Pages pages = new Pages(storage);
    for (int i = 0; i < load.files(); i++) {
      pages.verify(file(i), Pages.MIB);
    }
  }

  @Override
  public long amount(Load load) {
    return load.files();
  }
}
