package dev.sailfish.metaserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.testkit.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process: its one line, its end, its refusals. */
class MetaserverMainTest {
  @TempDir private Path directory;

  private Process run(String properties) throws IOException {
    Path file = Files.writeString(directory.resolve("metaserver.properties"), properties);
    List<String> flags = List.of("-Xmx128m", "-Dlogback.configurationFile=" + mainLogback());
    return new ProcessBuilder(ChildJvm.command(MetaserverMain.class, flags, file.toString()))
        .redirectErrorStream(true)
        .start();
  }

  private static Path mainLogback() {
    return Path.of("..", "..", "ground", "server", "src", "main", "resources", "logback.xml")
        .toAbsolutePath();
  }

  @Test
  void saysThatItIsReadyAndEndsWhenTold() throws Exception {
    Process process =
        run(
            "sailfish.metaserver.host=127.0.0.1\n"
                + "sailfish.metaserver.journal.dir="
                + directory.resolve("journal")
                + "\n"
                + "sailfish.metaserver.port=0\n"
                + "sailfish.metaserver.web.port=0\n"
                + "sailfish.metaserver.authentication=none\n");
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String ready = out.readLine();
      while (ready != null && !ready.contains("metaserver ready")) {
        ready = out.readLine();
      }
      assertThat(ready).containsPattern("metaserver ready 127\\.0\\.0\\.1:\\d+ web=\\d+");
      // Process.destroy would close its output too.
      process.toHandle().destroy();
      assertThat(out.lines().toList()).anyMatch(last -> last.endsWith("metaserver stopped"));
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void refusesABadConfiguration() throws Exception {
    Process process = run("sailfish.metaserver.port=-7\n");
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(1);
    assertThat(out)
        .contains("metaserver cannot start: sailfish.metaserver.port=-7")
        .doesNotContain("Exception");
  }
}
