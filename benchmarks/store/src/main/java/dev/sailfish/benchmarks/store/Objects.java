package dev.sailfish.benchmarks.store;

import java.io.IOException;

/**
 * The same bytes in objects of 1 MB each, or of 64 MB: what small ones cost. The last one may be
 * smaller.
 *
 * @param megabytes of 10^6 bytes in each
 * @param reads whether they are read; else they are written
 */
record Objects(int megabytes, boolean reads) implements Work {
  static final long MB = 1_000_000;

  @Override
  public void prepare(Storage storage, Load load) throws IOException {
    if (reads) {
      each(load, new Pages(storage)::write);
    }
  }

  @Override
  public void run(Storage storage, Load load) throws IOException {
    Pages pages = new Pages(storage);
    each(load, reads ? pages::read : pages::write);
  }

  @Override
  public void verify(Storage storage, Load load) throws IOException {
    each(load, new Pages(storage)::verify);
  }

  /** Something that is done with one of them. */
  private interface Step {
    void apply(String name, long bytes) throws IOException;
  }

  private void each(Load load, Step step) throws IOException {
    for (int first = 0; first < load.objects(); first += megabytes) {
      step.apply("object-" + first, MB * Math.min(megabytes, load.objects() - first));
    }
  }

  @Override
  public long amount(Load load) {
    return MB * load.objects();
  }

  @Override
  public long written(Load load) {
    return reads ? 0 : amount(load);
  }
}
