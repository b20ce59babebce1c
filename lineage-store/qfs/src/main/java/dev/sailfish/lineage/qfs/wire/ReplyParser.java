package dev.sailfish.lineage.qfs.wire;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Cuts the headers of replies out of the bytes as they come. Holds at most {@link #MAX_HEADER}
 * bytes. Used by one thread.
 */
final class ReplyParser {
  /** Of the headers of one reply, their end included. */
  static final int MAX_HEADER = 16 << 10;

  private static final byte[] BEGIN = {'O', 'K'};
  private static final int FIRST_ROOM = 1 << 10;

  private byte[] header = new byte[FIRST_ROOM];
  private int length;

  /**
   * Takes bytes up to the end of the headers.
   *
   * @param in what has come; afterwards at the first byte that is not part of the headers
   * @return null: all of {@code in} was taken, and more has to come
   * @throws ProtocolException for what no server says; the parser is of no use then
   */
  ReplyHeader take(ByteBuffer in) throws ProtocolException {
    while (in.hasRemaining()) {
      byte next = in.get();
      if (length == MAX_HEADER) {
        throw new ProtocolException("headers of a reply go on after " + MAX_HEADER + " bytes");
      }
      if (length == header.length) {
        header = Arrays.copyOf(header, Math.min(MAX_HEADER, 2 * length));
      }
      header[length++] = next;
      if (length == BEGIN.length && !Arrays.equals(header, 0, length, BEGIN, 0, length)) {
        // Looked at early: what is no reply may never have an end.
        return ReplyHeader.parse(new String(header, 0, length, StandardCharsets.ISO_8859_1));
      }
      if (next == '\n' && endsWithEmptyLine()) {
        String lines = new String(header, 0, length, StandardCharsets.UTF_8);
        length = 0;
        return ReplyHeader.parse(lines.stripTrailing());
      }
    }
    return null;
  }

  /** Whether a reply has begun. */
  boolean inside() {
    return length > 0;
  }

  private boolean endsWithEmptyLine() {
    return length >= 4
        && header[length - 2] == '\r'
        && header[length - 3] == '\n'
        && header[length - 4] == '\r';
  }
}
