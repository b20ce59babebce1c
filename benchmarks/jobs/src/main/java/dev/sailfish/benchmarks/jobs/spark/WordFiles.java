package dev.sailfish.benchmarks.jobs.spark;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Lines of words with blanks between, few of them often and most of them seldom; the same ones for
 * the same seed. Not thread-safe.
 */
public final class WordFiles {
  private static final int WORDS_PER_LINE = 10;
  private static final int VOCABULARY = 10_000;

  /** Six digits of the largest radix. */
  private static final int FIRST_WORD = 60_466_176;

  private static final int WORD_STEP = 1_999;
  private static final int BUFFER_BYTES = 1 << 16;

  private final SplittableRandom random;
  private final byte[][] vocabulary = new byte[VOCABULARY][];
  private final boolean[] used = new boolean[VOCABULARY];
  private long lines;
  private long distinct;

  /** Text that the seed determines. */
  public WordFiles(long seed) {
    random = new SplittableRandom(seed);
    for (int i = 0; i < VOCABULARY; i++) {
      String word = Integer.toString(FIRST_WORD + i * WORD_STEP, Character.MAX_RADIX);
      vocabulary[i] = word.getBytes(StandardCharsets.US_ASCII);
    }
  }

  /**
   * Writes files of about the same size.
   *
   * @param directory is made
   * @param count how many
   * @param bytes of each of them, and up to a line more
   */
  public void write(Path directory, int count, long bytes) throws IOException {
    Files.createDirectories(directory);
    for (int i = 0; i < count; i++) {
      Path file = directory.resolve(String.format(Locale.ROOT, "part-%05d", i));
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES)) {
        write(out, bytes);
      }
    }
  }

  private void write(OutputStream out, long bytes) throws IOException {
    long left = bytes;
    while (left > 0) {
      for (int i = 1; i <= WORDS_PER_LINE; i++) {
        byte[] word = word();
        out.write(word);
        out.write(i < WORDS_PER_LINE ? ' ' : '\n');
        left -= word.length + 1;
      }
      lines++;
    }
  }

  private byte[] word() {
    double drawn = random.nextDouble();
    int number = (int) (VOCABULARY * drawn * drawn * drawn);
    if (!used[number]) {
      used[number] = true;
      distinct++;
    }
    return vocabulary[number];
  }

  /** How many lines all files have that were written. */
  public long lines() {
    return lines;
  }

  /** How many words they have. */
  public long words() {
    return lines * WORDS_PER_LINE;
  }

  /** How many different ones. */
  public long distinct() {
    return distinct;
  }
}
