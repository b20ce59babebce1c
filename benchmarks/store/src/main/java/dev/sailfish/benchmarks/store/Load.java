package dev.sailfish.benchmarks.store;

/**
 * How much one thread does.
 *
 * @param bytes of the one large file
 * @param files of the works that have many
 * @param objects of 1 MB
 */
record Load(long bytes, int files, int objects) {
  /** For a warm-up, which is for the compiler. */
  Load atMost(Load other) {
    return new Load(
        Math.min(bytes, other.bytes),
        Math.min(files, other.files),
        Math.min(objects, other.objects));
  }

  /** How often another one has to be done for this one, at most. */
  int times(Load other) {
    double times =
        Math.max(
            (double) bytes / other.bytes,
            Math.max((double) files / other.files, (double) objects / other.objects));
    return (int) Math.ceil(times);
  }

  /** How many bytes all works together would write. */
  long total() {
    return bytes + (long) files * Pages.MIB + (long) objects * Objects.MB;
  }

  /** The share of one of so many threads. */
  Load share(int threads) {
    return new Load(bytes / threads, files / threads, objects / threads);
  }
}
