package dev.sailfish.system.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Nothing in the tree depends on the machine it was written on: no path of such a machine, no name
 * of a package registry, no Maven plugin whose version Maven would choose by itself.
 */
class HygieneTest {

  /** Written with brackets so that this file does not match. */
  private static final Pattern FOREIGN =
      Pattern.compile(
          "/(wor[k]|far[m])/"
              + "|(?<![\\w./*-])/(wor[k]|far[m])\\b"
              + "|\\b(repo1?[.]maven|repo[.]maven[.]apache|central[.]sonatype|oss[.]sonatype)"
              + "|\\b(pypi[.]org|files[.]pythonhosted|registry[.]npmjs|deb[.]debian[.]org)");

  private final SourceTree tree = SourceTree.ofThisProject();

  @Test
  void noTextFileNamesAMachinePathOrARegistry() throws IOException {
    List<String> found = new ArrayList<>();
    int textFiles = 0;
    for (Path file : tree.files()) {
      byte[] bytes = Files.readAllBytes(file);
      if (isText(bytes)) {
        textFiles++;
        collectForeign(file, new String(bytes, StandardCharsets.UTF_8), found);
      }
    }
    assertThat(found).as("machine paths and registry hosts").isEmpty();
    assertThat(textFiles).as("text files looked at below %s", tree.root()).isGreaterThan(20);
  }

  @Test
  void everyPomPinsEveryPlugin() throws IOException {
    Pom root = Pom.read(tree.root().resolve("pom.xml"));
    int poms = 0;
    for (Path file : tree.files()) {
      if (file.endsWith("pom.xml")) {
        poms++;
        Pom pom = Pom.read(file);
        assertThat(pom.unpinnedPlugins(pom.hasParent() ? root : pom))
            .as("unpinned in %s", tree.root().relativize(file))
            .isEmpty();
      }
    }
    assertThat(poms).as("poms looked at below %s", tree.root()).isGreaterThan(10);
  }

  @Test
  void thePageOfDependenciesIsTrue() throws IOException {
    List<String> rows = Files.readAllLines(tree.root().resolve("docs/dependencies.md"));
    Pom root = Pom.read(tree.root().resolve("pom.xml"));
    for (Path file : tree.files()) {
      if (file.endsWith("pom.xml")) {
        Pom pom = Pom.read(file);
        pom.namedArtifacts()
            .forEach(
                (artifact, version) ->
                    assertThat(rows)
                        .as("rows of %s, named in %s", artifact, tree.root().relativize(file))
                        .anyMatch(
                            row ->
                                row.contains("`" + artifact + "`")
                                    && row.contains(resolved(version, pom, root))));
      }
    }
  }

  private static String resolved(String version, Pom pom, Pom root) {
    Matcher property = Pattern.compile("\\$\\{(.+)}").matcher(version);
    if (!property.matches()) {
      return version;
    }
    String name = property.group(1);
    return pom.property(name, root.property(name, version));
  }

  private void collectForeign(Path file, String text, List<String> found) {
    Matcher matcher = FOREIGN.matcher(text);
    while (matcher.find()) {
      long line = 1 + text.substring(0, matcher.start()).chars().filter(c -> c == '\n').count();
      found.add(tree.root().relativize(file) + ":" + line + ": " + matcher.group());
    }
  }

  private static boolean isText(byte[] bytes) {
    for (int i = 0; i < Math.min(bytes.length, 8192); i++) {
      if (bytes[i] == 0) {
        return false;
      }
    }
    return true;
  }
}
