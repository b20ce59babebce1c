package dev.sailfish.chaos;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SplittableRandom;

/** Damages a file behind its owner's back. */
public final class BitFlip {
  private BitFlip() {}

  /**
   * Turns any bit of a file.
   *
   * @param most bytes from the beginning that may be hit
   * @return which bit of which file; empty when the file is empty or not there any more
   */
  public static Optional<String> anywhere(Path path, long most, SplittableRandom random)
      throws IOException {
    long length = Math.min(path.toFile().length(), most);
    if (length == 0) {
      return Optional.empty();
    }
    long offset = random.nextLong(length);
    int bit = random.nextInt(Byte.SIZE);
    try {
      at(path, offset, bit);
      return Optional.of("file=" + path + " offset=" + offset + " of " + length + " bit=" + bit);
    } catch (FileNotFoundException e) {
      return Optional.empty(); // deleted or renamed meanwhile
    }
  }

  /** Turns one bit of a file, where it is. */
  public static void at(Path path, long offset, int bit) throws IOException {
    if (!path.toFile().exists()) {
      throw new FileNotFoundException(path.toString()); // to open it would make a new one
    }
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(offset);
      int before = file.read();
      file.seek(offset);
      file.write(before ^ 1 << bit);
    }
  }
}
