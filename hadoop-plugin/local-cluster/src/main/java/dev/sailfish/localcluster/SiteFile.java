package dev.sailfish.localcluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/** Writes Hadoop's {@code *-site.xml} files, and looks into them. */
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

  /**
   * The value of a key as the file itself has it; empty when it has none, when the value refers to
   * another key, or when the file cannot be read. Other files that it includes are not looked at.
   */
  public static Optional<String> value(Path file, String key) {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      DocumentBuilder builder = factory.newDocumentBuilder();
      builder.setErrorHandler(new DefaultHandler()); // the JDK's own prints
      NodeList names = builder.parse(file.toFile()).getElementsByTagName("name");
      for (int i = names.getLength() - 1; i >= 0; i--) {
        Element property = (Element) names.item(i).getParentNode();
        NodeList values = property.getElementsByTagName("value");
        if (names.item(i).getTextContent().strip().equals(key) && values.getLength() == 1) {
          String value = values.item(0).getTextContent().strip();
          return Optional.of(value).filter(text -> !text.isEmpty() && !text.contains("${"));
        }
      }
      return Optional.empty();
    } catch (IOException | ParserConfigurationException | SAXException e) {
      return Optional.empty();
    }
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
