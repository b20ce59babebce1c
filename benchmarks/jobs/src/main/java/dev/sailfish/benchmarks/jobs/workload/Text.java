package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.localcluster.Directories;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Input for counting words: a corpus, repeated until there is enough of it, its words replaced by
 * fewer ones if that is asked for.
 */
final class Text {
  private static final int BUFFER_BYTES = 1 << 20;

  private final byte[] corpus;
  private final byte[][] words;
  private int position;

  private Text(byte[] corpus, int distinct) {
    this.corpus = corpus;
    words = new byte[distinct][];
    for (int i = 0; i < distinct; i++) {
      words[i] = String.format(Locale.ROOT, "word-%06d", i).getBytes(StandardCharsets.US_ASCII);
    }
  }

  /**
   * Writes text.
   *
   * @param corpus directory of text files
   * @param directory is created, complete or not at all
   * @param files how many files to write, all of about the same size
   * @param bytes of all files
   * @param distinct words to be left; 0 leaves them all
   */
  static void write(Path corpus, Path directory, int files, long bytes, int distinct)
      throws IOException {
    Path unfinished = directory.resolveSibling(directory.getFileName() + ".unfinished");
    Directories.delete(unfinished);
    Files.createDirectories(unfinished);
    Text text = new Text(read(corpus), distinct);
    for (int i = 0; i < files; i++) {
      Path file = unfinished.resolve(String.format(Locale.ROOT, "text-%04d", i));
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES)) {
        text.write(out, bytes / files);
      }
    }
    Files.move(unfinished, directory);
  }

  private static byte[] read(Path corpus) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (Stream<Path> files = Files.list(corpus)) {
      for (Path file : files.sorted().toList()) {
        Files.copy(file, all);
      }
    }
    return all.toByteArray();
  }

  /** Goes on where the last call ended, and ends behind a whole word. */
  private void write(OutputStream out, long bytes) throws IOException {
    long written = 0;
    while (written < bytes) {
      int start = position;
      boolean blank = isBlank(corpus[start]);
      while (position < corpus.length && isBlank(corpus[position]) == blank) {
        position++;
      }
      int length = position - start;
      if (blank || words.length == 0) {
        out.write(corpus, start, length);
      } else {
        byte[] word = words[Math.floorMod(hash(start, length), words.length)];
        out.write(word);
        length = word.length;
      }
      written += length;
      if (position == corpus.length) {
        position = 0;
        out.write('\n');
        written++;
      }
    }
    out.write('\n');
  }

  private static boolean isBlank(byte symbol) {
    return symbol >= 0 && symbol <= ' ';
  }

  private int hash(int start, int length) {
    int hash = 1;
    for (int i = start; i < start + length; i++) {
      hash = 31 * hash + corpus[i];
    }
    return hash ^ hash >>> 15;
  }
}
