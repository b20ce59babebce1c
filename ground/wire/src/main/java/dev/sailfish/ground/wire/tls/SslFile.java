package dev.sailfish.ground.wire.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/**
 * One of Hadoop's ssl-*.xml files, read without Hadoop. What Hadoop would replace or fetch from
 * elsewhere (variables, includes, credential providers) is refused and not passed over.
 */
public final class SslFile implements SslSettings {
  private static final int MAX_BYTES = 1 << 20;
  private static final String NO_DOCTYPE = "http://apache.org/xml/features/disallow-doctype-decl";
  private static final String PROVIDERS = "hadoop.security.credential.provider.path";

  private final String source;
  private final Map<String, String> values;

  private SslFile(String source, Map<String, String> values) {
    this.source = source;
    this.values = values;
  }

  /**
   * Reads a file.
   *
   * @param named how the user said which file: a key or an option, for messages
   * @throws IOException naming the file when it cannot be read or is something else
   */
  public static SslFile read(String named, Path file) throws IOException {
    String source = named + "=" + file;
    if (!Files.isRegularFile(file)) {
      throw new IOException(
          source + " is no file: let it name one in the format of Hadoop's ssl-server.xml");
    }
    long size = Files.size(file);
    if (size > MAX_BYTES) {
      throw new IOException(source + " is too long: bytes=" + size + " limit=" + MAX_BYTES);
    }
    return new SslFile(source, properties(source, parse(source, Files.readAllBytes(file))));
  }

  private static Element parse(String source, byte[] bytes) throws IOException {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      // Without a document type there are no entities: nothing is fetched, nothing grows.
      factory.setFeature(NO_DOCTYPE, true);
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setExpandEntityReferences(false);
      DocumentBuilder builder = factory.newDocumentBuilder();
      builder.setErrorHandler(new DefaultHandler());
      Document document = builder.parse(new ByteArrayInputStream(bytes));
      return document.getDocumentElement();
    } catch (SAXException | ParserConfigurationException e) {
      throw new IOException(source + " is not the XML of a Hadoop configuration: " + e, e);
    }
  }

  private static Map<String, String> properties(String source, Element root) throws IOException {
    if (!root.getTagName().equals("configuration")) {
      throw new IOException(
          source + " is no Hadoop configuration: it begins with <" + root.getTagName() + ">");
    }
    Map<String, String> values = new HashMap<>();
    for (Node node = root.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (!(node instanceof Element element)) {
        continue;
      }
      if (!element.getTagName().equals("property")) {
        throw new IOException(
            source
                + " has <"
                + element.getTagName()
                + ">, and only <property> is understood here: write the properties into the file");
      }
      values.put(text(element, "name"), text(element, "value"));
    }
    return values;
  }

  private static String text(Element property, String tag) {
    Node found = property.getElementsByTagName(tag).item(0);
    return found == null ? "" : found.getTextContent().strip();
  }

  /**
   * One value.
   *
   * @throws IOException when only Hadoop could say what it is
   */
  @Override
  public String get(String key) throws IOException {
    String value = values.getOrDefault(key, "");
    if (value.contains("${")) {
      throw new IOException(
          source + ": variables are not replaced here, write the value itself: key=" + key);
    }
    if (value.isEmpty() && key.endsWith("password") && values.containsKey(PROVIDERS)) {
      throw new IOException(
          ("%s has no %s, and credential providers (%s) are not supported here: write the"
                  + " password into the file, and let only its daemon's user read it")
              .formatted(source, key, PROVIDERS));
    }
    return value;
  }
}
