package dev.sailfish.localcluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Writes one of Hadoop's {@code *-site.xml} files. */
public final class SiteFile {
  private SiteFile() {}

  /**
   * Writes the file.
   *
   * @param file to create or replace
   * @param base another site file that this one includes and whose values this one overrides
   * @param properties keys and values, written in the map's order
   */
  public static void write(Path file, Optional<Path> base, Map<String, String> properties)
      throws IOException {
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.append("<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n");
    base.ifPresent(
        path ->
            xml.append("  <xi:include href=\"").append(escape(path.toString())).append("\"/>\n"));
    properties.forEach(
        (key, value) ->
            xml.append("  <property><name>")
                .append(escape(key))
                .append("</name><value>")
                .append(escape(value))
                .append("</value></property>\n"));
    Files.writeString(file, xml.append("</configuration>\n"));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
