package dev.sailfish.lineage.qfs.wire;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Map;

/** One reply, whatever its status. Immutable but for the position of its body. */
public final class Reply {
  static final ByteBuffer NO_BODY = ByteBuffer.allocate(0);

  private final Map<String, String> fields;
  private final int status;
  private final ByteBuffer body;

  Reply(Map<String, String> fields, int status, ByteBuffer body) {
    this.fields = fields;
    this.status = status;
    this.body = body;
  }

  /** Below zero: refused, see {@link QfsError}. Of a READ: how many bytes were read. */
  public int status() {
    return status;
  }

  /** The server's own words, empty if it had none. */
  public String message() {
    return text("Status-message", "");
  }

  /** Whether a header is there. */
  public boolean has(String name) {
    return fields.containsKey(name);
  }

  /** A header without the blanks around it. */
  public String text(String name, String absent) {
    return fields.getOrDefault(name, absent);
  }

  /**
   * A decimal header.
   *
   * @throws ProtocolException when it is there and no number
   */
  public long number(String name, long absent) throws ProtocolException {
    String text = fields.get(name);
    if (text == null) {
      return absent;
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new ProtocolException("reply's header " + name + "='" + text + "' is not a number");
    }
  }

  /** From its position to its limit; empty if there is none. */
  public ByteBuffer body() {
    return body;
  }

  @Override
  public String toString() {
    return "status=" + status + " body=" + body.remaining() + " " + fields;
  }
}
