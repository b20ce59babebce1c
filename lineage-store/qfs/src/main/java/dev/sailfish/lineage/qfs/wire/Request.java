package dev.sailfish.lineage.qfs.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * One request: operation, headers, and the bytes after them. Made by one thread, sent once or
 * several times. Values with a line's end in them are refused, as they would be headers of their
 * own.
 */
public final class Request {
  private static final ByteBuffer[] NO_BODY = {};
  private static final String LINE_END = "\r\n";

  private final String operation;
  private final StringBuilder fields = new StringBuilder();
  private String subject = "";
  private ByteBuffer[] body = NO_BODY;
  private ByteBuffer target;

  private Request(String operation) {
    this.operation = operation;
  }

  /** A request without headers. */
  public static Request of(String operation) {
    return new Request(operation);
  }

  /** Adds a header, its number decimal. */
  public Request field(String name, long value) {
    fields.append(name).append(": ").append(value).append(LINE_END);
    return this;
  }

  /**
   * Adds a header.
   *
   * @throws IllegalArgumentException naming the header when its value would not arrive as it is
   */
  public Request field(String name, String value) {
    requireLine(name, value);
    fields.append(name).append(": ").append(value).append(LINE_END);
    return this;
  }

  /** What it is about, for messages: a path or a chunk. */
  public Request about(String what) {
    subject = what;
    return this;
  }

  /**
   * The bytes after the headers; the caller adds the header that says how many.
   *
   * @param parts from their positions to their limits; not to be touched until the call is done
   */
  public Request body(ByteBuffer... parts) {
    body = parts;
    return this;
  }

  /**
   * Where a reply's body goes, from the position on; without this the client makes the room.
   *
   * @param buffer not to be touched until the call is done; its position stays, a good reply's
   *     {@link Reply#body} says what has come
   */
  public Request into(ByteBuffer buffer) {
    target = buffer;
    return this;
  }

  /** What is asked. */
  public String operation() {
    return operation;
  }

  /** What it is about, for messages. */
  public String subject() {
    return subject.isEmpty() ? "(nothing)" : subject;
  }

  ByteBuffer target() {
    return target;
  }

  /** Views of the body: what sends them does not move the caller's positions. */
  ByteBuffer[] withBody(ByteBuffer head) {
    ByteBuffer[] all = new ByteBuffer[body.length + 1];
    all[0] = head;
    for (int i = 0; i < body.length; i++) {
      all[i + 1] = body[i].duplicate();
    }
    return all;
  }

  /**
   * All before the body.
   *
   * @param sequence below zero: nobody will answer
   */
  ByteBuffer head(long sequence) {
    StringBuilder head = new StringBuilder(fields.length() + 120);
    head.append(operation).append(LINE_END);
    if (sequence >= 0) {
      head.append("Cseq: ").append(sequence).append(LINE_END);
    }
    head.append("Version: KFS/1.0\r\nClient-Protocol-Version: 116\r\n");
    head.append(fields).append(LINE_END);
    return ByteBuffer.wrap(head.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void requireLine(String name, String value) {
    for (int i = 0; i < value.length(); i++) {
      if (value.charAt(i) < ' ') {
        throw new IllegalArgumentException(
            "%s '%s' has the control character %s at %s: QFS takes a line of text"
                .formatted(name, value, (int) value.charAt(i), i));
      }
    }
  }

  @Override
  public String toString() {
    return operation + " of " + subject();
  }
}
