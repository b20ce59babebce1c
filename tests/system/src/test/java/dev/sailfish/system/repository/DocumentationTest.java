package dev.sailfish.system.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What README and docs point at is there. */
class DocumentationTest {
  private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#]+)(#[^)]*)?\\)");
  private static final Pattern TEST = Pattern.compile("`(\\w+Test)`");

  private final SourceTree tree = SourceTree.ofThisProject();

  private List<Path> pages() {
    return tree.files().stream()
        .filter(file -> file.toString().endsWith(".md"))
        .filter(file -> !file.toString().contains("/src/"))
        .toList();
  }

  @Test
  void everyLinkLeadsToAFile() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : pages()) {
      Matcher link = LINK.matcher(Files.readString(page));
      while (link.find()) {
        links++;
        if (!Files.exists(page.resolveSibling(link.group(1)))) {
          broken.add(tree.root().relativize(page) + ": " + link.group(1));
        }
      }
    }
    assertThat(broken).as("links that lead nowhere").isEmpty();
    assertThat(links).as("links below %s", tree.root()).isGreaterThan(20);
  }

  @Test
  void everyTestThatIsNamedExists() throws IOException {
    Set<String> tests =
        tree.files().stream()
            .map(file -> file.getFileName().toString())
            .filter(name -> name.endsWith("Test.java"))
            .map(name -> name.substring(0, name.length() - ".java".length()))
            .collect(Collectors.toSet());
    List<String> missing = new ArrayList<>();
    int named = 0;
    for (Path page : pages()) {
      Matcher test = TEST.matcher(Files.readString(page));
      while (test.find()) {
        named++;
        if (!tests.contains(test.group(1))) {
          missing.add(tree.root().relativize(page) + ": " + test.group(1));
        }
      }
    }
    assertThat(missing).as("tests that are named and do not exist").isEmpty();
    assertThat(named).as("tests named below %s", tree.root()).isGreaterThan(10);
  }
}
