package dev.sailfish.system.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.localcluster.RestClient;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The scripts of an unpacked archive, as an operator or a supervisor runs them. */
@Timeout(240)
class ArchiveDaemonsTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int STOPPED_BY_SIGTERM = 128 + 15;
  private static final String METASERVER = "sailfish-metaserver";
  private static final String CHUNKSERVER = "sailfish-chunkserver";
  private static final String WEB = "sailfish-web";
  private static final String COMMAND = "sailfish";

  @TempDir private Path directory;
  private final List<Process> processes = new ArrayList<>();
  private final int port = FreePort.next();
  private final int metaserverWeb = FreePort.next();
  private final int chunkserverWeb = FreePort.next();
  private UnpackedArchive archive;
  private Path secret;

  @BeforeEach
  void unpack() throws Exception {
    archive = UnpackedArchive.in(directory);
    secret = directory.resolve("secret");
    ClusterSecret.create(secret);
  }

  @AfterEach
  void endProcesses() throws InterruptedException {
    for (Process process : processes) {
      process.destroyForcibly().waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private String metaserverFile() throws IOException {
    return Files.writeString(
            directory.resolve("metaserver.properties"),
            """
            sailfish.metaserver.host=127.0.0.1
            sailfish.metaserver.port=%d
            sailfish.metaserver.web.port=%d
            sailfish.metaserver.journal.dir=%s
            sailfish.metaserver.cluster.secret.file=%s
            """
                .formatted(port, metaserverWeb, directory.resolve("journal"), secret))
        .toString();
  }

  private String chunkserverFile() throws IOException {
    return Files.writeString(
            directory.resolve("chunkserver.properties"),
            """
            sailfish.chunkserver.host=127.0.0.1
            sailfish.chunkserver.bind=127.0.0.1
            sailfish.chunkserver.port=0
            sailfish.chunkserver.web.port=%d
            sailfish.chunkserver.memory.size=1m
            sailfish.chunkserver.memory.dir=%s
            sailfish.chunkserver.metaserver.address=127.0.0.1:%d
            sailfish.chunkserver.cluster.secret.file=%s
            """
                .formatted(chunkserverWeb, directory.resolve("memory"), port, secret))
        .toString();
  }

  private Process start(String script, Map<String, String> environment, String file)
      throws IOException {
    Process process = archive.start(script, environment, file);
    processes.add(process);
    return process;
  }

  private void assertStops(Process process) throws InterruptedException {
    process.destroy(); // SIGTERM, to the JVM itself
    assertThat(process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(STOPPED_BY_SIGTERM);
  }

  private void awaitReady(int web) {
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(archive.run(COMMAND, "health", "127.0.0.1:" + web))
                    .isEqualTo(new UnpackedArchive.Result(0, "127.0.0.1:" + web + " is ready.\n")));
  }

  @Test
  void daemonsServeInTheForegroundUntilSigterm() throws Exception {
    Path logs = Files.createDirectory(directory.resolve("logs"));
    Process metaserver =
        start(METASERVER, Map.of("SAILFISH_LOG_DIR", logs.toString()), metaserverFile());
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(
                        archive.run(COMMAND, "health", "--serving", "127.0.0.1:" + metaserverWeb))
                    .hasFieldOrPropertyWithValue("exitCode", 0));
    UnpackedArchive.Result lonely = archive.run(COMMAND, "health", "127.0.0.1:" + metaserverWeb);
    assertThat(lonely.exitCode()).isEqualTo(1);
    assertThat(lonely.output()).contains("is not ready: chunkservers: ");

    Process chunkserver = start(CHUNKSERVER, Map.of(), chunkserverFile());
    awaitReady(metaserverWeb);
    awaitReady(chunkserverWeb);
    assertThat(
            archive.run(
                COMMAND,
                "ifile",
                "ls",
                "--metaserver",
                "127.0.0.1:" + port,
                "--secret-file",
                secret.toString()))
        .hasFieldOrPropertyWithValue("exitCode", 0);

    assertStops(chunkserver);
    assertStops(metaserver);
    assertThat(archive.run(COMMAND, "health", "127.0.0.1:" + metaserverWeb).output())
        .contains("does not answer");
    assertThat(archive.output(METASERVER)).as("all is in the log file").isEmptyFile();
    assertThat(logs.resolve("sailfish-metaserver.log"))
        .content()
        .contains("metaserver ready", "metaserver stopped");
    assertThat(archive.output(CHUNKSERVER)).content().contains("chunkserver ready", "has stopped");
  }

  @Test
  void aConfigurationIsCheckedAndNothingIsStarted() throws Exception {
    UnpackedArchive.Result good = archive.run(METASERVER, "--check-config", metaserverFile());
    assertThat(good.output()).contains("can be started with this configuration").hasLineCount(1);
    assertThat(good.exitCode()).isZero();
    assertThat(directory.resolve("journal")).doesNotExist();
    assertThat(archive.run(CHUNKSERVER, "--check-config", chunkserverFile()).exitCode()).isZero();
    assertThat(directory.resolve("memory")).doesNotExist();
  }

  @Test
  void theWebProcessServesUntilSigterm() throws Exception {
    int web = FreePort.next();
    String file =
        Files.writeString(
                directory.resolve("web.properties"),
                """
                sailfish.web.bind=127.0.0.1
                sailfish.web.port=%d
                sailfish.web.metaserver.address=127.0.0.1:%d
                sailfish.web.cluster.secret.file=%s
                sailfish.web.history.dir=%s
                """
                    .formatted(web, port, secret, directory.resolve("history")))
            .toString();
    assertThat(archive.run(WEB, "--check-config", file).exitCode()).isZero();
    assertThat(directory.resolve("history")).doesNotExist();
    Process process = start(WEB, Map.of(), file);
    RestClient client = new RestClient("http://127.0.0.1:" + web);
    // No metaserver runs: its pages are there all the same.
    await()
        .atMost(DEADLINE)
        .untilAsserted(() -> assertThat(client.get("/api/v1/jobs")).isPresent());
    assertStops(process);
  }

  @Test
  void aWrongKeyAndAWrongUnitAreToldWithFileAndLine() throws Exception {
    Path file = Path.of(metaserverFile());
    Files.writeString(file, Files.readString(file) + "sailfish.metaserver.leese=10min\n");
    UnpackedArchive.Result key = archive.run(METASERVER, "--check-config", file.toString());
    assertThat(key.exitCode()).isEqualTo(1);
    assertThat(key.output()).contains("sailfish.metaserver.leese", "lease", file + ":6");
    file = Path.of(chunkserverFile());
    Files.writeString(file, "# ours\nsailfish.chunkserver.memory.size=1q\n");
    UnpackedArchive.Result unit = archive.run(CHUNKSERVER, "--check-config", file.toString());
    assertThat(unit.exitCode()).isEqualTo(1);
    assertThat(unit.output())
        .contains("sailfish.chunkserver.memory.size=1q must be a size", file + ":2");
  }

  @Test
  void envNamesTheClientJarWhereItIs() throws Exception {
    UnpackedArchive.Result env =
        archive.run(
            COMMAND, "env", "--secret-file", secret.toString(), "--metaserver", "meta1:19850");
    Path jar = archive.root().toRealPath().resolve("client/sailfish-client.jar");
    assertThat(jar).exists();
    assertThat(env.output())
        .contains(
            "<property><name>mapreduce.application.classpath</name><value>" + jar,
            "<property><name>sailfish.metaserver.address</name><value>meta1:19850</value>")
        .containsPattern("sailfish.metaserver.public.key</name><value>[0-9a-f]{64}<");
    assertThat(env.exitCode()).isZero();
    assertThat(archive.root().resolve("target")).doesNotExist();
  }

  @Test
  void whatNeedsHadoopSaysSo() throws Exception {
    for (String command : List.of("start", "jar", "reduce", "demo", "bench")) {
      UnpackedArchive.Result result = archive.run(COMMAND, command);
      assertThat(result.exitCode()).isEqualTo(1);
      assertThat(result.output())
          .startsWith("sailfish: '" + command + "' needs Hadoop's jars")
          .hasLineCount(1);
    }
  }

  @Test
  void modelsAreNotInTheArchive() throws Exception {
    UnpackedArchive.Result result = archive.run(COMMAND, "model", "two-level");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output())
        .startsWith("sailfish: 'model' is a benchmark")
        .contains("source tree")
        .hasLineCount(1);
  }

  @Test
  void anOldJavaAndAMissingOneAreTold() throws Exception {
    Path java = Files.createDirectories(directory.resolve("jdk/bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\necho '    java.specification.version = 11' >&2\n");
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
    Map<String, String> old = Map.of("JAVA_HOME", directory.resolve("jdk").toString());
    assertThat(archive.run(METASERVER, old, "x"))
        .isEqualTo(
            new UnpackedArchive.Result(
                1,
                "sailfish-metaserver: "
                    + java
                    + " is Java 11, but 17 or newer is needed; set JAVA_HOME\n"));
    assertThat(archive.run(CHUNKSERVER, Map.of("JAVA_HOME", ""), "x"))
        .isEqualTo(
            new UnpackedArchive.Result(
                1,
                "sailfish-chunkserver: no java on the PATH; install a JDK 17 or newer, or set"
                    + " JAVA_HOME\n"));
  }
}
