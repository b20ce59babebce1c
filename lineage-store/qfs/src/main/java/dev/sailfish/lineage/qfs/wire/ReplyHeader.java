package dev.sailfish.lineage.qfs.wire;

import java.net.ProtocolException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A reply's headers, read and checked: all that a server says before the body.
 *
 * @param sequence of the request that it answers
 * @param status below zero when refused
 * @param bodyBytes that follow, from 0 on
 * @param fields all headers
 */
record ReplyHeader(long sequence, int status, int bodyBytes, Map<String, String> fields) {
  private static final String FIRST_LINE = "OK";
  private static final int SHOWN = 60;

  /**
   * @param lines of the reply, the empty one at the end left out
   * @throws ProtocolException quoting what no server says
   */
  static ReplyHeader parse(String lines) throws ProtocolException {
    int end = lineEnd(lines, 0);
    if (!lines.substring(0, end).strip().equals(FIRST_LINE)) {
      throw new ProtocolException("not a reply of QFS, it begins with '" + shown(lines) + "'");
    }
    Map<String, String> fields = new LinkedHashMap<>();
    for (int from = end + 1; from < lines.length(); from = end + 1) {
      end = lineEnd(lines, from);
      int colon = lines.indexOf(':', from);
      if (colon < 0 || colon > end) {
        throw new ProtocolException("no header: '" + shown(lines.substring(from, end)) + "'");
      }
      fields.put(lines.substring(from, colon).strip(), lines.substring(colon + 1, end).strip());
    }
    return new ReplyHeader(
        number(fields, "Cseq", Long.MAX_VALUE, null),
        (int) number(fields, "Status", Integer.MAX_VALUE, null),
        Math.max(0, (int) number(fields, "Content-length", Integer.MAX_VALUE, "0")),
        fields);
  }

  private static int lineEnd(String lines, int from) {
    int end = lines.indexOf('\n', from);
    return end < 0 ? lines.length() : end;
  }

  private static long number(Map<String, String> fields, String name, long most, String absent)
      throws ProtocolException {
    String text = fields.getOrDefault(name, absent);
    try {
      long value = text == null ? Long.MIN_VALUE : Long.parseLong(text);
      if (value >= -most && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below, with what was there
    }
    throw new ProtocolException(
        "reply with " + name + (text == null ? " missing" : "='" + shown(text) + "'"));
  }

  private static String shown(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < Math.min(text.length(), SHOWN); i++) {
      char c = text.charAt(i);
      plain.append(c >= ' ' && c < 127 ? c : '.');
    }
    return plain.toString();
  }
}
