package dev.sailfish.benchmarks.store;

import java.io.IOException;

/** Creates empty files and closes them, as many at a time as {@link InFlight} says. */
final class Creates implements Work {
  private static String name(int number) {
    return "empty-" + number;
  }

  @Override
  public void run(Storage storage, Load load) throws IOException {
    InFlight requests = new InFlight();
    for (int i = 0; i < load.files(); i++) {
      requests.begin();
      requests.add(storage.makeEmpty(name(i)));
    }
    requests.end();
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
