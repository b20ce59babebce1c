package dev.sailfish.benchmarks.store;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

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

    @Override
    public long written(Load load) {
      return (long) load.files() * Pages.MIB;
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

  /** As many are begun ahead, and end behind, as {@link InFlight} says. */
  private static void write(Storage storage, Load load) throws IOException {
    Pages pages = new Pages(storage);
    InFlight requests = new InFlight();
    Deque<CompletableFuture<? extends Storage.Output>> begun = new ArrayDeque<>();
    for (int i = 0; i < load.files(); i++) {
      begun.add(storage.begin(file(i)));
      if (begun.size() == InFlight.MOST) {
        requests.begin();
        requests.add(pages.write(begun.remove().join(), Pages.MIB));
      }
    }
    while (!begun.isEmpty()) {
      requests.begin();
      requests.add(pages.write(begun.remove().join(), Pages.MIB));
    }
    requests.end();
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
