package dev.sailfish.testkit.qfs;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** A connection that sends and takes messages as they are, with no knowledge of operations. */
final class RawConnection implements Closeable {
  private static final int TIMEOUT_MS = 20_000;

  private final Socket socket;
  private final InputStream in;
  private long sequence;

  RawConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** An answer: its fields by name, and its body. */
  record Answer(Map<String, String> fields, byte[] body) {
    long number(String name) {
      return Long.parseLong(fields.get(name));
    }

    long status() {
      return number("Status");
    }
  }

  /** Sends a request in the long form and takes the next answer. */
  Answer call(String operation, byte[] body, Object... namesAndValues) throws IOException {
    send(operation, body, namesAndValues);
    return take();
  }

  Answer call(String operation, Object... namesAndValues) throws IOException {
    return call(operation, new byte[0], namesAndValues);
  }

  void send(String operation, byte[] body, Object... namesAndValues) throws IOException {
    StringBuilder head = new StringBuilder(operation).append("\r\nCseq: ").append(++sequence);
    head.append("\r\nVersion: KFS/1.0\r\nClient-Protocol-Version: 116\r\n");
    for (int i = 0; i < namesAndValues.length; i += 2) {
      head.append(namesAndValues[i]).append(": ").append(namesAndValues[i + 1]).append("\r\n");
    }
    sendRaw(head + "\r\n", body);
  }

  void sendRaw(String head, byte[] body) throws IOException {
    socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
    socket.getOutputStream().write(body);
  }

  long lastSequence() {
    return sequence;
  }

  /** The next answer; the server's silence for 20 s or its end is an exception. */
  Answer take() throws IOException {
    String first = line();
    if (!first.equals("OK")) {
      throw new IOException("not an answer: " + first);
    }
    Map<String, String> fields = new LinkedHashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      fields.put(line.substring(0, colon), line.substring(colon + 1).trim());
    }
    int length = Integer.parseInt(fields.getOrDefault("Content-length", "0"));
    if (fields.containsKey("l")) {
      length = Integer.parseInt(fields.get("l"), 16);
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new IOException("cut in the body");
    }
    return new Answer(fields, body);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the connection ended after " + line);
      }
      line.append(c == '\r' ? "" : (char) c);
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
