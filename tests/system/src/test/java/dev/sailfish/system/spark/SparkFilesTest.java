package dev.sailfish.system.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sailfish.system.LineageDaemons;
import dev.sailfish.system.SailfishCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * An unchanged script of PySpark with the client jar and keys of the configuration, on the lineage
 * store and on local files: all that it reads, all files that it leaves and all refusals are the
 * same.
 */
@Tag("long")
class SparkFilesTest {
  private static final Path SCRIPT =
      SailfishCommand.projectRoot().resolve("tests/system/src/test/resources/spark/files.py");
  private static final List<SparkVersion> VERSIONS = SparkVersion.ALL;
  private static final Duration DEADLINE = Duration.ofMinutes(12);
  private static final int PROGRAMS = 19;

  @TempDir private Path directory;

  @ParameterizedTest
  @FieldSource("VERSIONS")
  void doesOnTheStoreWhatItDoesOnLocalFiles(SparkVersion version) throws Exception {
    assumeTrue(version.missing() == null, version.missing());
    try (LineageDaemons store = new LineageDaemons(directory, Map.of())) {
      Path local = directory.resolve("of-local-files");
      Path ours = directory.resolve("of-the-store");
      version.submit(
          store.keys(),
          directory,
          DEADLINE,
          List.of(
              SCRIPT.toString(),
              directory.resolve("files").toUri().toString(),
              local.toString(),
              "lineage://store/spark",
              ours.toString()));
      Map<String, String> expected = results(local);
      assertThat(expected).hasSize(PROGRAMS);
      Map<String, String> results = results(ours);
      assertThat(results.keySet()).isEqualTo(expected.keySet());
      expected.forEach((name, said) -> assertThat(results.get(name)).as(name).isEqualTo(said));
      assertThat(store.worker("blocks_shared_total")).as("read without the network").isPositive();
      assertThat(store.worker("read_bytes_total")).as("read through the network").isZero();
      Awaitility.await("what the script has deleted, and what failed tasks wrote, is gone")
          .atMost(Duration.ofMinutes(2))
          .until(() -> store.worker("blocks") == 0 && store.worker("blocks_writing") == 0);
    }
  }

  private static Map<String, String> results(Path file) throws IOException {
    Map<String, String> results = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file)) {
      String[] parts = line.split(" ", 2);
      results.put(parts[0], parts[1]);
    }
    return results;
  }
}
