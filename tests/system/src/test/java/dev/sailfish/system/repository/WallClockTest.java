package dev.sailfish.system.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The wall clock can be set forwards and backwards at any time, so nothing that waits looks at it:
 * leases, deadlines and periods are measured with System.nanoTime.
 */
class WallClockTest {
  private static final Pattern WALL_CLOCK =
      Pattern.compile(
          "currentTimeMillis|Instant\\.now|LocalDate(Time)?\\.now|ZonedDateTime\\.now|new Date\\(\\)"
              + "|Clock\\.system");

  /** The port through which all look at it that must: for something that is no wait. */
  private static final String PORT = "Clock.java";

  @Test
  void nothingThatWaitsLooksAtTheWallClock() throws IOException {
    SourceTree tree = SourceTree.ofThisProject();
    List<String> found = new ArrayList<>();
    int looked = 0;
    for (Path file : tree.files()) {
      String name = String.valueOf(file.getFileName());
      boolean main = file.toString().contains("/src/main/java/");
      if (main && name.endsWith(".java")) {
        looked++;
        if (!name.equals(PORT) && WALL_CLOCK.matcher(Files.readString(file)).find()) {
          found.add(tree.root().relativize(file).toString());
        }
      }
    }
    assertThat(found).isEmpty();
    assertThat(looked).isGreaterThan(200);
  }
}
