package dev.sailfish.testkit.qfs;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** One answer, built field by field in the form of its request. */
final class WireReply {
  private static final String LINE_END = "\r\n";

  private final boolean shortForm;
  private final StringBuilder head = new StringBuilder("OK").append(LINE_END);
  private byte[] body = new byte[0];

  private WireReply(boolean shortForm) {
    this.shortForm = shortForm;
  }

  static WireReply of(WireRequest request, long status) {
    WireReply reply = new WireReply(request.wantsShort());
    reply.number("Cseq", "c", request.number("Cseq", "c", 0));
    return reply.number("Status", "s", status);
  }

  static WireReply refusal(WireRequest request, long status, String why) {
    return of(request, status).text("Status-message", "m", why);
  }

  /** The same answer to a request that came again. */
  WireReply repeated(WireRequest request) {
    WireReply again = new WireReply(request.wantsShort());
    again.number("Cseq", "c", request.number("Cseq", "c", 0));
    int fields = head.indexOf(LINE_END, head.indexOf(LINE_END) + 2) + 2;
    again.head.append(head, fields, head.length());
    again.body = body;
    return again;
  }

  /** Whether it asks for the acknowledgement {@code ack}. */
  boolean acknowledges(String ack) {
    return head.indexOf((shortForm ? "a:" : "Ack: ") + ack + LINE_END) >= 0;
  }

  boolean shortForm() {
    return shortForm;
  }

  WireReply number(String name, String shortName, long value) {
    return text(name, shortName, shortForm ? Long.toString(value, 16) : Long.toString(value));
  }

  WireReply flag(String name, String shortName, boolean value) {
    return number(name, shortName, value ? 1 : 0);
  }

  WireReply text(String name, String shortName, String value) {
    head.append(shortForm ? shortName + ":" : name + ": ").append(value).append(LINE_END);
    return this;
  }

  /** Seconds and microseconds of a time in microseconds since 1970. */
  WireReply time(String name, String shortName, long micros) {
    int radix = shortForm ? 16 : 10;
    String seconds = Long.toString(micros / 1_000_000, radix);
    return text(name, shortName, seconds + " " + Long.toString(micros % 1_000_000, radix));
  }

  /** Servers with their write ids, or without where {@code writeIds} is empty. */
  WireReply servers(
      String name, String shortName, List<QfsChunkserver> servers, List<Long> writeIds) {
    StringBuilder list = new StringBuilder();
    for (int i = 0; i < servers.size(); i++) {
      list.append(i == 0 ? "" : " ").append(QfsTestServer.HOST).append(' ');
      list.append(Integer.toString(servers.get(i).port(), shortForm ? 16 : 10));
      if (!writeIds.isEmpty()) {
        list.append(' ').append(Long.toString(writeIds.get(i), shortForm ? 16 : 10));
      }
    }
    return text(name, shortName, list.toString());
  }

  WireReply body(byte[] bytes) {
    body = bytes;
    return number("Content-length", "l", bytes.length);
  }

  byte[] bodyBytes() {
    return body;
  }

  byte[] headBytes() {
    return (head + LINE_END).getBytes(StandardCharsets.UTF_8);
  }
}
