package dev.sailfish.hadoop.lineage.record;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;

/**
 * Writes a job's configuration as Hadoop reads it: names, values as they are, and which are final;
 * sorted by name, so that the same configuration is the same program. Where values came from is
 * left out, which is half of such a file. Hadoop's own writer makes a document and transforms it,
 * at a third of what a record costs in a JVM that has just started.
 */
final class JobXml {
  private JobXml() {}

  /**
   * Writes all properties.
   *
   * @param conf that was read from such a file
   * @param out stays open
   * @throws IOException also when a value has a character that XML has not
   */
  static void write(Configuration conf, OutputStream out) throws IOException {
    Map<String, String> sorted = new TreeMap<>();
    conf.forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
    Set<String> finals = conf.getFinalParameters();
    Writer text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    text.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n");
    for (Map.Entry<String, String> property : sorted.entrySet()) {
      text.write("<property><name>");
      escape(property.getKey(), property.getKey(), text);
      text.write("</name><value>");
      escape(property.getKey(), property.getValue(), text);
      text.write("</value>");
      text.write(finals.contains(property.getKey()) ? "<final>true</final>" : "");
      text.write("</property>\n");
    }
    text.write("</configuration>\n");
    text.flush();
  }

  private static void escape(String name, String value, Writer text) throws IOException {
    int written = 0;
    for (int i = 0; i < value.length(); i++) {
      String escaped = escaped(name, value.charAt(i));
      if (escaped != null) {
        text.write(value, written, i - written);
        text.write(escaped);
        written = i + 1;
      }
    }
    text.write(value, written, value.length() - written);
  }

  /** Null: a character stands for itself. */
  private static String escaped(String name, char character) throws IOException {
    switch (character) {
      case '&':
        return "&amp;";
      case '<':
        return "&lt;";
      case '>':
        return "&gt;";
      case '\r':
        return "&#13;";
      case '\t', '\n':
        return null;
      default:
        if (character < ' ' || character >= '\ufffe') {
          throw new IOException(
              "the value of %s has the character %04x, which XML has not"
                  .formatted(name, (int) character));
        }
        return null;
    }
  }
}
