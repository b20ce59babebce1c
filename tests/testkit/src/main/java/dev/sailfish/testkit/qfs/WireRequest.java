package dev.sailfish.testkit.qfs;

import java.util.Map;

/** One request as it came: what is asked, its fields by the name they came with, its body. */
final class WireRequest {
  private static final int HEXADECIMAL = 16;

  private final String operation;
  private final Map<String, String> fields;
  private final byte[] body;
  private final long connection;

  /**
   * @param connection a number of the connection that it came on
   */
  WireRequest(String operation, Map<String, String> fields, byte[] body, long connection) {
    this.operation = operation;
    this.fields = fields;
    this.body = body;
    this.connection = connection;
  }

  String operation() {
    return operation;
  }

  byte[] body() {
    return body;
  }

  long connection() {
    return connection;
  }

  /** Whether its fields have short names and hexadecimal numbers. */
  boolean isShort() {
    return fields.containsKey("c") && !fields.containsKey("Cseq");
  }

  /** Whether the answer has short names. */
  boolean wantsShort() {
    return isShort() || "1".equals(fields.get("Short-rpc-fmt"));
  }

  boolean has(String name, String shortName) {
    return fields.containsKey(isShort() ? shortName : name);
  }

  String text(String name, String shortName, String absent) {
    return fields.getOrDefault(isShort() ? shortName : name, absent);
  }

  boolean flag(String name, String shortName) {
    return number(name, shortName, 0) != 0;
  }

  /**
   * A field that is a number.
   *
   * @throws MalformedRequestException if it is none
   */
  long number(String name, String shortName, long absent) {
    String value = fields.get(isShort() ? shortName : name);
    return value == null ? absent : parse(value);
  }

  /** A number in this request's form. */
  long parse(String value) {
    try {
      if (!isShort()) {
        return Long.parseLong(value);
      }
      return value.startsWith("-")
          ? -Long.parseUnsignedLong(value.substring(1), HEXADECIMAL)
          : Long.parseUnsignedLong(value, HEXADECIMAL);
    } catch (NumberFormatException notANumber) {
      throw new MalformedRequestException(operation + ": not a number: " + value, notANumber);
    }
  }

  /** A field that has to be there. */
  long required(String name, String shortName) {
    if (!has(name, shortName)) {
      throw new MalformedRequestException(operation + " without " + name, null);
    }
    return number(name, shortName, 0);
  }

  @Override
  public String toString() {
    return operation + fields;
  }

  /** A request that no server can answer as it is; it is answered with {@code -22}. */
  static final class MalformedRequestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    MalformedRequestException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
