package dev.sailfish.system.repository;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A Maven pom, as far as its plugins go. */
final class Pom {

  private static final String OURS = "dev.sailfish";
  private static final String MAVEN_PLUGINS = "org.apache.maven.plugins";
  private static final List<String> LIFECYCLE_OF_ALL =
      List.of("clean", "install", "deploy", "site");
  private static final List<String> LIFECYCLE_OF_JARS =
      List.of("resources", "compiler", "surefire", "jar");

  /** A fixed version, or a property that holds one. */
  private static final Pattern FIXED = Pattern.compile("\\d[\\w.-]*(?<!-SNAPSHOT)|\\$\\{[\\w.-]+}");

  private final Element project;

  private Pom(Element project) {
    this.project = project;
  }

  static Pom read(Path file) throws IOException {
    try {
      return new Pom(
          DocumentBuilderFactory.newDefaultInstance()
              .newDocumentBuilder()
              .parse(file.toFile())
              .getDocumentElement());
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException("not XML: file=" + file, e);
    }
  }

  boolean hasParent() {
    return child(project, "parent") != null;
  }

  /**
   * Plugins that this pom uses, also through the default lifecycle, without a fixed version.
   *
   * @param managed the pom whose plugin management counts; this one itself when it has no parent
   */
  Set<String> unpinnedPlugins(Pom managed) {
    Set<String> pinned = new TreeSet<>();
    for (Element plugin : managed.plugins()) {
      if (isFixed(plugin)) {
        pinned.add(name(plugin));
      }
    }
    Set<String> unpinned = new TreeSet<>();
    for (Element plugin : plugins()) {
      boolean ownVersion = child(plugin, "version") != null;
      if (ownVersion ? !isFixed(plugin) : !pinned.contains(name(plugin))) {
        unpinned.add(name(plugin));
      }
    }
    for (String plugin : lifecyclePlugins()) {
      if (!pinned.contains(plugin)) {
        unpinned.add(plugin);
      }
    }
    return unpinned;
  }

  /**
   * The libraries and plugins of other projects that this pom names, also in plugins' settings:
   * artifact to version, or to "" where the pom leaves the version to its parent.
   */
  Map<String, String> namedArtifacts() {
    List<Element> elements = plugins();
    for (String tag : List.of("dependency", "path", "artifactItem")) {
      NodeList all = project.getElementsByTagName(tag);
      for (int i = 0; i < all.getLength(); i++) {
        elements.add((Element) all.item(i));
      }
    }
    Map<String, String> artifacts = new TreeMap<>();
    for (Element element : elements) {
      if (!text(element, "groupId", MAVEN_PLUGINS).equals(OURS)) {
        String version = text(element, "version", "");
        artifacts.merge(text(element, "artifactId", ""), version, (a, b) -> a.isEmpty() ? b : a);
      }
    }
    return artifacts;
  }

  /** What a property of this pom stands for; {@code otherwise} when the pom does not have it. */
  String property(String name, String otherwise) {
    Element properties = child(project, "properties");
    return properties == null ? otherwise : text(properties, name, otherwise);
  }

  private List<String> lifecyclePlugins() {
    List<String> phases = new ArrayList<>(LIFECYCLE_OF_ALL);
    if (hasParent() || !"pom".equals(text(project, "packaging", "jar"))) {
      phases.addAll(LIFECYCLE_OF_JARS);
    }
    return phases.stream().map(phase -> MAVEN_PLUGINS + ":maven-" + phase + "-plugin").toList();
  }

  private List<Element> plugins() {
    List<Element> plugins = new ArrayList<>();
    NodeList all = project.getElementsByTagName("plugin");
    for (int i = 0; i < all.getLength(); i++) {
      if (all.item(i).getParentNode().getNodeName().equals("plugins")) {
        plugins.add((Element) all.item(i));
      }
    }
    return plugins;
  }

  private static boolean isFixed(Element plugin) {
    return FIXED.matcher(text(plugin, "version", "")).matches();
  }

  private static String name(Element plugin) {
    return text(plugin, "groupId", MAVEN_PLUGINS) + ":" + text(plugin, "artifactId", "");
  }

  private static String text(Element parent, String name, String otherwise) {
    Element child = child(parent, name);
    return child == null ? otherwise : child.getTextContent().strip();
  }

  private static Element child(Element parent, String name) {
    for (Node at = parent.getFirstChild(); at != null; at = at.getNextSibling()) {
      if (at instanceof Element element && element.getNodeName().equals(name)) {
        return element;
      }
    }
    return null;
  }
}
