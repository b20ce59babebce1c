package dev.sailfish.lineage.hadoop.qfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.config.Key;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table of keys in docs/QFS.md is that of the code. */
class QfsKeyTest {
  private static final Path PAGE = Path.of("../../docs/QFS.md");

  @Test
  void thePageShouldHaveTheTableOfKeys() throws Exception {
    List<String> page = Files.readAllLines(PAGE);
    String table = QfsKey.ALL.all().stream().map(QfsKeyTest::row).collect(Collectors.joining("\n"));
    assertThat(page.stream().filter(line -> line.startsWith("| `sailfish.qfs.")))
        .as("lines of %s, which are to be\n%s", PAGE, table)
        .containsExactlyElementsOf(table.lines().toList());
  }

  private static String row(Key<?> key) {
    String text = key.defaultText();
    return "| `%s` | %s | %s | %s | %s |"
        .formatted(
            key.name(),
            key.type(),
            text.isEmpty() ? "" : "`" + text + "`",
            key.range().isEmpty() ? "" : "`" + key.range() + "`",
            key.meaning());
  }
}
