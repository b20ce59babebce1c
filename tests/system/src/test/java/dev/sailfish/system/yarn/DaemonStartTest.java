package dev.sailfish.system.yarn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.system.SailfishCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemons as the README starts them: the build's lib directory and a properties file. */
class DaemonStartTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir private Path directory;
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void endProcesses() throws InterruptedException {
    for (Process process : processes) {
      process.destroyForcibly().waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** Starts a daemon; returns the file of what it prints. */
  private Path start(String main, String properties) throws IOException {
    String name = main.substring(main.lastIndexOf('.') + 1);
    Path file = Files.writeString(directory.resolve(name + ".properties"), properties);
    Path log = directory.resolve(name + ".log");
    Path lib = SailfishCommand.projectRoot().resolve("hadoop-plugin/cli/target/dist/sailfish/lib");
    processes.add(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                lib + "/*",
                main,
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start());
    return log;
  }

  private static List<String> awaitLine(Path log, String text) {
    await().atMost(DEADLINE).untilAsserted(() -> assertThat(Files.readString(log)).contains(text));
    try {
      return Files.readAllLines(log);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Lines that the logging library prints about itself. */
  private static void assertNoStatusLines(List<String> lines) {
    assertThat(lines).noneMatch(line -> line.contains("|-") || line.contains("ch.qos.logback"));
  }

  private Path startMetaserver(String more) throws IOException {
    return start(
        "dev.sailfish.metaserver.MetaserverMain",
        "sailfish.metaserver.host=127.0.0.1\n"
            + "sailfish.metaserver.port=0\n"
            + "sailfish.metaserver.web.port=0\n"
            + "sailfish.metaserver.journal.dir="
            + directory.resolve("journal")
            + "\nsailfish.metaserver.authentication=none\n"
            + more);
  }

  private Path startChunkserver(String more) throws IOException {
    return start(
        "dev.sailfish.chunkserver.ChunkserverMain",
        "sailfish.chunkserver.host=127.0.0.1\n"
            + "sailfish.chunkserver.bind=127.0.0.1\n"
            + "sailfish.chunkserver.port=0\n"
            + "sailfish.chunkserver.web.port=0\n"
            + "sailfish.chunkserver.memory.size=1m\n"
            + "sailfish.chunkserver.memory.dir="
            + directory.resolve("memory")
            + "\nsailfish.chunkserver.authentication=none\n"
            + more);
  }

  @Test
  void aMetaserverPrintsNothingButItsOwnLines() throws IOException {
    assertNoStatusLines(awaitLine(startMetaserver(""), "metaserver ready"));
  }

  @Test
  void aChunkserverPrintsNothingButItsOwnLines() throws IOException {
    Path log = startChunkserver("sailfish.chunkserver.metaserver.address=none\n");
    List<String> lines = awaitLine(log, "chunkserver ready");
    assertNoStatusLines(lines);
    assertThat(lines).noneMatch(line -> line.contains("metaserver.address"));
  }

  @Test
  void aChunkserverThatIsNotToldWhereTheMetaserverIsWarnsAtStart() throws IOException {
    // Whether somebody listens on the default port of this machine does not matter.
    List<String> lines = awaitLine(startChunkserver(""), "chunkserver ready");
    assertThat(lines)
        .anyMatch(
            line ->
                line.contains("WARN")
                    && line.contains("sailfish.chunkserver.metaserver.address is not set")
                    && line.contains("localhost:19850"));
  }

  @Test
  void aMetaserverWhoseResourceManagerDoesNotExistWarnsWithoutAJob() throws IOException {
    // Port 1: nobody listens.
    Path log = startMetaserver("sailfish.metaserver.resourcemanager=127.0.0.1:1\n");
    assertThat(awaitLine(log, "ResourceManager does not answer"))
        .anyMatch(
            line ->
                line.contains("WARN")
                    && line.contains("sailfish.metaserver.resourcemanager=http://127.0.0.1:1"));
  }
}
