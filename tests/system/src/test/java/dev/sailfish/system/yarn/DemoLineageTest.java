package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.SailfishCommand.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/sailfish demo lineage}: from jobs over a worker's death to what was read after it. */
@Tag("long")
@Timeout(900)
class DemoLineageTest {
  private static final Duration DEMO = Duration.ofMinutes(12);

  @TempDir private Path directory;

  @Test
  void lostFilesAreMadeAgainAndNothingRunsOn() throws Exception {
    Path home = directory.resolve("demo");
    Result demo =
        new SailfishCommand(directory, YarnSettings.ENVIRONMENT)
            .run(DEMO, List.of("demo", "lineage", "--no-hdfs", "--dir", home.toString()));
    assertThat(demo.exitCode()).as(demo.output()).isZero();
    assertThat(demo.output())
        .contains("killed lineage-worker-", "All files are what they were, byte for byte.")
        .containsPattern("(?m)^frequencies +\\d+ +\\d+ +\\d+ +[1-9].* application_\\S+ +0 +[1-9]")
        .containsPattern("(?m)^lineage store .* the workflow manager$");
    assertThat(home.resolve("cluster.json")).doesNotExist();
    assertThat(inMemory(home)).isNotEmpty().noneMatch(Files::exists);
    assertThat(ProcessHandle.allProcesses())
        .noneMatch(process -> process.info().commandLine().orElse("").contains(home.toString()));
  }

  /** Directories of the workers that were in memory, as their configuration names them. */
  private static List<Path> inMemory(Path home) throws IOException {
    List<Path> directories = new ArrayList<>();
    for (String worker : List.of("lineage-worker-1", "lineage-worker-2")) {
      String text = Files.readString(home.resolve("conf").resolve(worker + ".properties"));
      Matcher memory = Pattern.compile("(/dev/shm/[^:]+):disktype=MEM").matcher(text);
      assertThat(memory.find()).as(text).isTrue();
      directories.add(Path.of(memory.group(1)));
    }
    return directories;
  }
}
