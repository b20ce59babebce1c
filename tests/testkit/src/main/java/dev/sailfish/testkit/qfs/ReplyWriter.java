package dev.sailfish.testkit.qfs;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/** Writes the answers of one connection, whole or with a fault; used by one thread. */
final class ReplyWriter {
  private static final String PADDING = "x".repeat(32 << 10);
  private static final String GARBAGE = "\u0001\u0002 this is no answer \r\n\r\n:::\r\n\r\n";

  private final OutputStream out;
  private final Deque<WireReply> held = new ArrayDeque<>();

  ReplyWriter(OutputStream out) {
    this.out = out;
  }

  /** Writes an answer, then those that were held, the last one first; null is none. */
  void write(WireReply reply) throws IOException {
    if (reply == null) {
      return;
    }
    writeWhole(reply.headBytes(), reply.bodyBytes());
    while (!held.isEmpty()) {
      WireReply next = held.pop();
      writeWhole(next.headBytes(), next.bodyBytes());
    }
  }

  void writeWith(QfsFault.Kind fault, WireReply reply) throws IOException {
    if (reply == null) {
      return;
    }
    byte[] head = reply.headBytes();
    byte[] body = reply.bodyBytes();
    switch (fault) {
      case HOLD -> held.push(reply);
      case CUT_BODY -> writeWhole(head, Arrays.copyOf(body, body.length / 2));
      case CUT_HEADER -> writeWhole(Arrays.copyOf(head, head.length / 2), new byte[0]);
      case GARBAGE -> writeWhole(GARBAGE.getBytes(StandardCharsets.UTF_8), new byte[0]);
      case OVERSIZED_HEADER -> {
        String text = new String(head, StandardCharsets.UTF_8);
        String longer = text.replaceFirst("\r\n\r\n", "\r\nPadding: " + PADDING + "\r\n\r\n");
        writeWhole(longer.getBytes(StandardCharsets.UTF_8), body);
      }
      case OVERSIZED_LENGTH -> {
        long huge = 1_000_000_000_000L;
        String line = reply.shortForm() ? "l:" + Long.toHexString(huge) : "Content-length: " + huge;
        String kept = new String(head, StandardCharsets.UTF_8);
        kept = kept.replaceAll("(Content-length|l): ?[0-9a-f]+\r\n", "");
        kept = kept.substring(0, kept.length() - 2) + line + "\r\n\r\n";
        writeWhole(kept.getBytes(StandardCharsets.UTF_8), body);
      }
      case UNKNOWN_SEQUENCE -> {
        String text = new String(head, StandardCharsets.UTF_8);
        String other = text.replaceFirst("(Cseq: |c:)[0-9a-f]+", "$17777777");
        writeWhole(other.getBytes(StandardCharsets.UTF_8), body);
      }
      case FLIP_BYTE -> {
        byte[] flipped = body.clone();
        if (flipped.length > 0) {
          flipped[flipped.length / 2] ^= 1;
        }
        writeWhole(head, flipped);
      }
      default -> throw new IllegalArgumentException("not a fault of an answer: " + fault);
    }
  }

  private void writeWhole(byte[] head, byte[] body) throws IOException {
    out.write(head);
    out.write(body);
    out.flush();
  }
}
