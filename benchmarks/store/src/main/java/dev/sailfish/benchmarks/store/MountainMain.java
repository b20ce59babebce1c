package dev.sailfish.benchmarks.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Writes a file, and reads it in strides: 1 MiB, then nothing of so many KiB, and so on, until it
 * comes round and goes on with the MiB that it left out first. Prints {@code skip KIB MB_PER_S} of
 * each skip.
 *
 * <pre>
 *   MountainMain KIND PLACE MIB MOST-MIB KIB,KIB,…                KIND, PLACE: see Storages
 * </pre>
 *
 * <p>At most MOST-MIB are read of each skip; a file is read again from its beginning until at least
 * {@value #LEAST_MIB} MiB are.
 */
final class MountainMain {
  private static final String NAME = "mountain";
  private static final int LEAST_MIB = 64;
  private static final int WARM_UP_MIB = 16;
  private static final int WARM_UPS = 20;
  private static final double MB = 1e6;
  private static final double NS_PER_S = 1e9;

  private final Storage storage;
  private final Pages pages;
  private final int mib;

  private MountainMain(Storage storage, int mib) {
    this.storage = storage;
    this.pages = new Pages(storage);
    this.mib = mib;
  }

  public static void main(String[] arguments) throws IOException {
    Storages storages = new Storages(arguments[0], arguments[1]);
    int mib = Integer.parseInt(arguments[2]);
    int most = Integer.parseInt(arguments[3]);
    List<Integer> skips = new ArrayList<>();
    for (String skip : arguments[4].split(",")) {
      skips.add(Integer.parseInt(skip));
    }
    try (Storage storage = storages.open("warm-up")) {
      MountainMain small = new MountainMain(storage, WARM_UP_MIB);
      small.write();
      for (int i = 0; i < WARM_UPS; i++) {
        small.mbPerSecond(skips.get(i % skips.size()), WARM_UP_MIB);
      }
      storage.clear();
    }
    try (Storage storage = storages.open("mountain")) {
      MountainMain mountain = new MountainMain(storage, mib);
      mountain.write();
      for (int skip : skips) {
        double speed = mountain.mbPerSecond(skip, Math.min(most, Math.max(mib, LEAST_MIB)));
        System.out.printf(Locale.ROOT, "skip %d %.1f%n", skip, speed);
        System.out.flush();
      }
      storage.clear();
    }
  }

  private void write() throws IOException {
    pages.write(NAME, (long) mib * Pages.MIB);
  }

  private double mbPerSecond(int skipKib, int mibToRead) throws IOException {
    Strides strides = new Strides((long) mib * Pages.MIB, (long) skipKib << 10);
    long startNs = System.nanoTime();
    try (Storage.Input in = storage.open(NAME)) {
      long expected = 0;
      for (int i = 0; i < mibToRead; i++) {
        long at = strides.next();
        if (at != expected) {
          in.seek(at);
        }
        ByteBuffer bytes = pages.next(in, at, Pages.MIB);
        Pages.checkHeads(bytes, at);
        expected = at + Pages.MIB;
      }
    }
    double seconds = (System.nanoTime() - startNs) / NS_PER_S;
    return (double) mibToRead * Pages.MIB / MB / seconds;
  }
}
