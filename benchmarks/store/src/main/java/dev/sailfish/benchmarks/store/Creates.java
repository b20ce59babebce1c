package dev.sailfish.benchmarks.store;

import java.io.IOException;

/** Creates empty files and closes them, one after the other. */
final class Creates implements Work {
  private static String name(int number) {
    return "empty-" + number;
  }

  @Override
  public void run(Storage storage, Load load) throws IOException {
    for (int i = 0; i < load.files(); i++) {
      storage.create(name(i)).close();
    }
  }

  @Override
  public void verify(Storage storage, Load load) throws IOException {
    for (int i = 0; i < load.files(); i++) {
      if (storage.length(name(i)) != 0) {
        throw new IOException(name(i) + " is not empty");
      }
    }
  }

  @Override
  public long amount(Load load) {
    return load.files();
  }
}
