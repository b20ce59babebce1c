package dev.sailfish.lineage.hadoop.marks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * Gives a SequenceFile, or a container file of Avro, marks that depend on the file's id alone.
 *
 * <p>Such a file has 16 random bytes at the end of its header, and again between records, by which
 * readers of a part find where a record begins. With random marks a file that is made again is
 * never the same. So the mark is taken from the header, and is replaced wherever it comes, by one
 * that is as good: equally long, and unlike to be in the data. Any other file goes through as it
 * is. Nothing is looked for in files without such a header; in the others each 16th byte or so is
 * looked at.
 *
 * <p>A flush does nothing: bytes that may be the beginning of a mark are held. For one thread.
 */
public final class MarkedOutput extends OutputStream {
  /** A header that is longer is none. */
  private static final int LONGEST_HEADER = 1 << 20;

  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final OutputStream to;
  private final byte[] mark;

  /** The beginning of the file while it is not known what it is; null: it is. */
  private ByteArrayOutputStream header = new ByteArrayOutputStream();

  /** Finds the mark that the writer has chosen; null: the file has none. */
  private MarkSearch search;

  /** Bytes that are held, from 0 on, and room for what follows them. */
  private final byte[] held = new byte[2 * MarkHeader.MARK];

  private int heldCount;

  /**
   * @param to takes the bytes, and is closed with this
   * @param fid of the file, which chooses its marks
   */
  public MarkedOutput(OutputStream to, long fid) {
    this.to = to;
    this.mark =
        ByteBuffer.allocate(MarkHeader.MARK)
            .putLong(mixed(fid + GOLDEN))
            .putLong(mixed(fid + 2 * GOLDEN))
            .array();
  }

  /** The finalizer of SplitMix64. */
  private static long mixed(long value) {
    long z = value;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    if (header != null && header.size() == 0 && MarkHeader.isOfAnother(bytes, offset, count)) {
      header = null;
    }
    if (header == null) {
      pass(bytes, offset, count);
    } else {
      header.write(bytes, offset, count);
      lookAtHeader();
    }
  }

  private void lookAtHeader() throws IOException {
    byte[] all = header.toByteArray();
    int at = MarkHeader.find(all);
    boolean isOpen = at == MarkHeader.MORE && all.length <= LONGEST_HEADER;
    if (!isOpen) {
      header = null;
      search = at >= 0 ? new MarkSearch(all, at) : null;
      pass(all, 0, all.length);
    }
  }

  private void pass(byte[] bytes, int offset, int count) throws IOException {
    if (search == null) {
      to.write(bytes, offset, count);
      return;
    }
    int from = offset;
    int end = offset + count;
    while (heldCount > 0 && from < end) {
      from += passHeld(bytes, from, end);
    }
    while (from < end) {
      int at = search.find(bytes, from, end);
      if (at < 0) {
        heldCount = search.beginning(bytes, from, end);
        to.write(bytes, from, end - heldCount - from);
        System.arraycopy(bytes, end - heldCount, held, 0, heldCount);
        return;
      }
      to.write(bytes, from, at - from);
      to.write(mark);
      from = at + MarkHeader.MARK;
    }
  }

  /**
   * Goes on with bytes that are held and what follows them.
   *
   * @return how many of the others are done with
   */
  private int passHeld(byte[] bytes, int from, int end) throws IOException {
    int more = Math.min(end - from, MarkHeader.MARK - heldCount);
    System.arraycopy(bytes, from, held, heldCount, more);
    int total = heldCount + more;
    if (search.find(held, 0, total) == 0) {
      to.write(mark);
      heldCount = 0;
      return more;
    }
    int kept = search.beginning(held, 0, total);
    to.write(held, 0, total - kept);
    System.arraycopy(held, total - kept, held, 0, kept);
    heldCount = kept;
    return more;
  }

  @Override
  public void flush() {
    // What is held may be a part of a mark, and nobody reads the file before it is closed.
  }

  /** Writes what is held, and closes what takes the bytes. */
  @Override
  public void close() throws IOException {
    try (to) {
      if (header != null) {
        header.writeTo(to);
        header = null;
      }
      if (heldCount > 0) {
        to.write(held, 0, heldCount);
        heldCount = 0;
      }
    }
  }
}
