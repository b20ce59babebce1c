package dev.sailfish.testkit.qfs;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Takes requests off one connection; used by that connection's thread alone. */
final class RequestReader {
  private static final int MAX_HEADER_BYTES = 16 << 10;
  private static final int MAX_BODY_BYTES = 64 << 20;
  private static final int BUFFER_BYTES = 64 << 10;

  private final InputStream in;
  private final long connection;
  private final byte[] head = new byte[MAX_HEADER_BYTES];

  RequestReader(InputStream in, long connection) {
    this.in = new BufferedInputStream(in, BUFFER_BYTES);
    this.connection = connection;
  }

  /**
   * The next request, or null at the end of the connection.
   *
   * @throws IOException also for a header over 16 KB and a body over 64 MB
   */
  WireRequest next() throws IOException {
    int length = readHead();
    if (length < 0) {
      return null;
    }
    String[] lines = new String(head, 0, length, StandardCharsets.UTF_8).split("\r\n");
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      if (colon > 0) {
        fields.put(lines[i].substring(0, colon).trim(), lines[i].substring(colon + 1).trim());
      }
    }
    String operation = lines[0].trim();
    WireRequest request = new WireRequest(operation, fields, new byte[0], connection);
    long bodyBytes = bodyBytes(request);
    if (bodyBytes < 0 || bodyBytes > MAX_BODY_BYTES) {
      throw new IOException(operation + " with a body of " + bodyBytes + " bytes");
    }
    byte[] body = in.readNBytes((int) bodyBytes);
    if (body.length < bodyBytes) {
      throw new IOException(operation + ": the connection ended inside the body");
    }
    return new WireRequest(operation, fields, body, connection);
  }

  private static long bodyBytes(WireRequest request) {
    return switch (request.operation()) {
      case "WRITE_PREPARE", "RECORD_APPEND" -> request.number("Num-bytes", "B", 0);
      default -> request.number("Content-length", "l", 0);
    };
  }

  private int readHead() throws IOException {
    int length = 0;
    while (!endsHead(length)) {
      if (length == head.length) {
        throw new IOException("a request header over " + MAX_HEADER_BYTES + " bytes");
      }
      int next = in.read();
      if (next < 0) {
        return -1;
      }
      head[length++] = (byte) next;
    }
    return length;
  }

  private boolean endsHead(int length) {
    return length >= 4
        && head[length - 4] == '\r'
        && head[length - 3] == '\n'
        && head[length - 2] == '\r'
        && head[length - 1] == '\n';
  }
}
