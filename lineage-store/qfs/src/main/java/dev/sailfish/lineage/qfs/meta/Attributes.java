package dev.sailfish.lineage.qfs.meta;

import dev.sailfish.lineage.qfs.wire.Reply;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads what a metaserver says of files: as headers of a reply, with long names and decimal, or as
 * entries of a directory, which come with short names and hexadecimal.
 *
 * <pre>
 *   B                begin of an entry
 *   N:name           H:handle  T:dir or file
 *   M: C: CR:        times, microseconds
 *   U: G: A:         user, group, mode
 *   R:               replication, 1 when it is missing
 *   CC: S:           chunks and size of a file
 *   S: FC: DC:       size, files, directories of a directory
 *   ST: SC: SR: SS:  striping
 * </pre>
 */
final class Attributes {
  private static final String DIRECTORY = "dir";
  private static final int HEX = 16;
  private static final int DECIMAL = 10;
  private static final long MICROS = 1_000_000;

  private Attributes() {}

  /** Of a LOOKUP's reply. */
  static FileInfo ofReply(Reply reply, String name) throws ProtocolException {
    boolean directory = reply.text("Type", "").equals(DIRECTORY);
    int striper = (int) reply.number("Striper-type", 1);
    Striping striping =
        striper <= 1 && !reply.has("Num-stripes")
            ? null
            : new Striping(
                striper,
                (int) reply.number("Num-stripes", 0),
                (int) reply.number("Num-recovery-stripes", 0),
                (int) reply.number("Stripe-size", 0));
    return new FileInfo(
        reply.number("File-handle", FileInfo.UNKNOWN),
        name,
        directory,
        size(reply.number("File-size", FileInfo.UNKNOWN)),
        (int) reply.number("Replication", 1),
        reply.number("Chunk-count", 0),
        reply.number("File-count", FileInfo.UNKNOWN),
        reply.number("Dir-count", FileInfo.UNKNOWN),
        time(reply.text("M-Time", "")),
        time(reply.text("CR-Time", "")),
        new Owner((int) reply.number("User", -1), (int) reply.number("Group", -1)),
        (int) reply.number("Mode", -1),
        striping);
  }

  /** While a chunk is being written a server says a number below zero, which is no size. */
  private static long size(long said) {
    return Math.max(said, FileInfo.UNKNOWN);
  }

  /** Seconds, a blank and microseconds. */
  private static long time(String text) throws ProtocolException {
    if (text.isEmpty()) {
      return 0;
    }
    int blank = text.indexOf(' ');
    long seconds = number(blank < 0 ? text : text.substring(0, blank), DECIMAL);
    long micros = blank < 0 ? 0 : number(text.substring(blank + 1).strip(), DECIMAL);
    return seconds * MICROS + micros;
  }

  /** A page of READDIRPLUS. */
  static DirectoryPage ofEntries(ByteBuffer body, boolean more) throws ProtocolException {
    List<FileInfo> entries = new ArrayList<>();
    String last = "";
    Map<String, String> fields = null;
    for (String line : StandardCharsets.UTF_8.decode(body).toString().split("\n", -1)) {
      if (line.equals("B")) {
        last = add(fields, entries, last);
        fields = new HashMap<>();
      } else if (!line.isBlank()) {
        int colon = line.indexOf(':');
        if (colon < 0 || fields == null) {
          throw new ProtocolException("no entry of a directory: '" + line + "'");
        }
        fields.put(line.substring(0, colon), line.substring(colon + 1));
      }
    }
    last = add(fields, entries, last);
    return new DirectoryPage(entries, last, more);
  }

  private static String add(Map<String, String> fields, List<FileInfo> entries, String last)
      throws ProtocolException {
    if (fields == null) {
      return last;
    }
    String name = fields.getOrDefault("N", "");
    if (name.isEmpty()) {
      throw new ProtocolException("an entry of a directory without a name: " + fields);
    }
    if (!name.equals(".") && !name.equals("..")) {
      entries.add(entry(fields, name));
    }
    return name;
  }

  private static FileInfo entry(Map<String, String> fields, String name) throws ProtocolException {
    Striping striping =
        hex(fields, "ST", 1) > 1 || fields.containsKey("SC")
            ? new Striping(
                (int) hex(fields, "ST", 0),
                (int) hex(fields, "SC", 0),
                (int) hex(fields, "SR", 0),
                (int) hex(fields, "SS", 0))
            : null;
    return new FileInfo(
        hex(fields, "H", FileInfo.UNKNOWN),
        name,
        fields.getOrDefault("T", "").equals(DIRECTORY),
        size(hex(fields, "S", FileInfo.UNKNOWN)),
        (int) hex(fields, "R", 1),
        hex(fields, "CC", 0),
        hex(fields, "FC", FileInfo.UNKNOWN),
        hex(fields, "DC", FileInfo.UNKNOWN),
        hex(fields, "M", 0),
        hex(fields, "CR", 0),
        new Owner((int) hex(fields, "U", -1), (int) hex(fields, "G", -1)),
        (int) hex(fields, "A", -1),
        striping);
  }

  private static long hex(Map<String, String> fields, String name, long absent)
      throws ProtocolException {
    String text = fields.get(name);
    return text == null ? absent : number(text.strip(), HEX);
  }

  private static long number(String text, int radix) throws ProtocolException {
    try {
      return Long.parseLong(text, radix);
    } catch (NumberFormatException e) {
      throw new ProtocolException("'" + text + "' is not a number");
    }
  }
}
