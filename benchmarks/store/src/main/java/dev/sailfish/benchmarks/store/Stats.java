package dev.sailfish.benchmarks.store;

import java.io.IOException;

/** Asks for the lengths of files, as many at a time as {@link InFlight} says. */
final class Stats implements Work {
  private static final int DIFFERENT = 100;

  private static String name(int number) {
    return "empty-" + number % DIFFERENT;
  }

  @Override
  public void prepare(Storage storage, Load load) throws IOException {
    for (int i = 0; i < DIFFERENT; i++) {
      storage.create(name(i)).close();
    }
  }

  @Override
  public void run(Storage storage, Load load) throws IOException {
    InFlight requests = new InFlight();
    for (int i = 0; i < load.files(); i++) {
      requests.begin();
      requests.add(storage.askLength(name(i)).thenAccept(Stats::requireEmpty));
    }
    requests.end();
  }

  private static void requireEmpty(long length) {
    if (length != 0) {
      throw new IllegalStateException("an empty file is not empty");
    }
  }

  @Override
  public void verify(Storage storage, Load load) {
    // Each answer was looked at.
  }

  @Override
  public long amount(Load load) {
    return load.files();
  }
}
