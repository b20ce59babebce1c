package dev.sailfish.lineage.client;

import dev.sailfish.chaos.BitFlip;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Flips bits of blocks of workers that run, in the files of all their tiers, and knows whose they
 * were. {@link #isDamaged} is for any thread, the rest for one.
 */
final class BlockDamage {
  private static final Pattern SEALED =
      Pattern.compile("([0-9a-f]{16})-[0-9]+@worker\\+(?:seal|shared)-.*");

  private final List<Path> directories;
  private final Set<Long> damaged = ConcurrentHashMap.newKeySet();
  private int flips;

  /**
   * @param directories of all tiers of all workers
   */
  BlockDamage(List<Path> directories) {
    this.directories = List.copyOf(directories);
  }

  /** One bit of one sealed block, if there is one in a directory that is chosen by chance. */
  void flip(Random random) throws IOException {
    Path directory = directories.get(random.nextInt(directories.size()));
    List<Path> sealed = sealed(directory.resolve("segments"));
    if (sealed.isEmpty()) {
      return;
    }
    Path file = sealed.get(random.nextInt(sealed.size()));
    Matcher name = SEALED.matcher(file.getFileName().toString());
    if (name.matches()) {
      damaged.add(Long.parseUnsignedLong(name.group(1), 16)); // before: readers are not late
      SplittableRandom where = new SplittableRandom(random.nextLong());
      flips += BitFlip.anywhere(file, Long.MAX_VALUE, where).isPresent() ? 1 : 0;
    }
  }

  private static List<Path> sealed(Path segments) throws IOException {
    if (!Files.isDirectory(segments)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(segments)) {
      return files
          .filter(file -> SEALED.matcher(file.getFileName().toString()).matches())
          .sorted()
          .toList();
    }
  }

  /** Whether a bit of this file was flipped, or is going to be. */
  boolean isDamaged(long fid) {
    return damaged.contains(fid);
  }

  /** How many bits were flipped. */
  int flips() {
    return flips;
  }
}
