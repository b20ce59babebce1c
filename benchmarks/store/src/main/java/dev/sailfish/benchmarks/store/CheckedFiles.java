package dev.sailfish.benchmarks.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Plain files with a CRC32C for each 64 KiB, which writers compute and readers compare: what the
 * machine can do for who checks. The sums are in memory. Files are written once, in pieces of whole
 * units but for the last, and read at the beginning of units.
 */
final class CheckedFiles implements Storage {
  private static final int UNIT = 64 << 10;

  /** What was copied is in the processor's cache still when it is summed. */
  private static final int AT_ONCE = 4 * UNIT;

  private static final int MAPPED = 1 << 20;

  private final JavaFiles files;
  private final Map<String, int[]> sums = new HashMap<>();
  private final CRC32C sum = new CRC32C();

  CheckedFiles(Path directory) throws IOException {
    this.files = new JavaFiles(directory);
  }

  /** Of the bytes of one unit, to their limit. */
  private int sumOf(ByteBuffer bytes) {
    sum.reset();
    sum.update(bytes);
    return (int) sum.getValue();
  }

  private void compare(int[] known, long at, ByteBuffer bytes) throws IOException {
    int end = bytes.limit();
    for (long position = at; bytes.position() < end; position += UNIT) {
      bytes.limit(Math.min(end, bytes.position() + UNIT));
      if (sumOf(bytes) != known[(int) (position / UNIT)]) {
        throw new IOException("wrong bytes at " + position);
      }
    }
  }

  @Override
  public Output create(String name) throws IOException {
    Output out = files.create(name);
    return new Output() {
      private int[] written = new int[AT_ONCE / UNIT];
      private int units;

      @Override
      public void write(ByteBuffer bytes) throws IOException {
        int end = bytes.limit();
        while (bytes.position() < end) {
          bytes.limit(Math.min(end, bytes.position() + AT_ONCE));
          add(bytes.duplicate());
          out.write(bytes);
        }
      }

      private void add(ByteBuffer bytes) {
        int end = bytes.limit();
        while (bytes.position() < end) {
          if (units == written.length) {
            written = Arrays.copyOf(written, 2 * units);
          }
          written[units++] = sumOf(bytes.limit(Math.min(end, bytes.position() + UNIT)));
        }
      }

      @Override
      public void close() throws IOException {
        out.close();
        sums.put(name, Arrays.copyOf(written, units));
      }
    };
  }

  @Override
  public Input open(String name) throws IOException {
    int[] known = sums.get(name);
    Input in = files.open(name);
    return new Input() {
      private long position;
      private ByteBuffer mapping;

      @Override
      public void seek(long to) throws IOException {
        in.seek(to);
        position = to;
      }

      @Override
      public int read(ByteBuffer into) throws IOException {
        int end = into.limit();
        int begin = into.position();
        into.limit(Math.min(end, begin + AT_ONCE));
        int count = in.read(into);
        if (count > 0) {
          compare(known, position, into.duplicate().position(begin).limit(begin + count));
          position += count;
        }
        into.limit(end);
        return count;
      }

      @Override
      public ByteBuffer map(long from) throws IOException {
        if (mapping == null) {
          mapping = in.map(0);
        }
        int count = (int) Math.min(MAPPED, mapping.limit() - from);
        ByteBuffer bytes = mapping.slice((int) from, count);
        compare(known, from, bytes.duplicate());
        return bytes;
      }

      @Override
      public void close() throws IOException {
        in.close();
      }
    };
  }

  @Override
  public long length(String name) throws IOException {
    return files.length(name);
  }

  @Override
  public void clear() throws IOException {
    sums.clear();
    files.clear();
  }

  @Override
  public void close() {
    files.close();
  }
}
