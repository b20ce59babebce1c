package dev.sailfish.ground.server.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.ground.server.frame.EchoService;
import dev.sailfish.ground.server.message.EchoRequest;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.message.EmptyResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How the process of a daemon begins and ends: its lines and its exit codes. */
@Timeout(120)
class DaemonMainTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final Pattern READY = Pattern.compile(".*echo ready 127.0.0.1:(\\d+) web=\\d+");

  @TempDir private Path directory;

  private Process process;
  private BufferedReader out;

  private void run(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    command.add(EchoDaemon.class.getName());
    command.addAll(arguments);
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private void runWith(String properties) throws IOException {
    Path file = Files.writeString(directory.resolve("echo.properties"), properties);
    run(List.of(file.toString()));
  }

  /** The port of the line that says that it serves. */
  private int awaitReady() throws IOException {
    String line = out.readLine();
    while (line != null && !READY.matcher(line).matches()) {
      line = out.readLine();
    }
    assertThat(line).as("a line that says ready").isNotNull();
    Matcher ready = READY.matcher(line);
    assertThat(ready.matches()).isTrue();
    return Integer.parseInt(ready.group(1));
  }

  private void assertEnds(int code, String... words) throws Exception {
    assertThat(out.lines().collect(Collectors.joining("\n"))).contains(words);
    assertThat(process.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(code);
  }

  @AfterEach
  void stop() {
    process.destroyForcibly();
  }

  @Test
  void aWrongCallIsTold() throws Exception {
    run(List.of());
    assertEnds(2, "usage: echo [--check-config] PROPERTIES-FILE");
  }

  @Test
  void anUnknownOptionIsNoFile() throws Exception {
    run(List.of("--check-confg"));
    assertEnds(2, "usage: echo [--check-config] PROPERTIES-FILE");
  }

  @Test
  void aConfigurationIsCheckedWithoutAStart() throws Exception {
    Path file = Files.writeString(directory.resolve("echo.properties"), "sailfish.echo.port=0\n");
    run(List.of("--check-config", file.toString()));
    assertEnds(0, "echo can be started with this configuration: " + file);
  }

  @Test
  void aWrongConfigurationIsToldWithFileAndLine() throws Exception {
    Path file =
        Files.writeString(directory.resolve("echo.properties"), "# mine\nsailfish.echo.prt=0\n");
    run(List.of("--check-config", file.toString()));
    assertEnds(1, "echo cannot be started", "sailfish.echo.prt", file + ":2");
  }

  @Test
  void aWrongSettingIsNamed() throws Exception {
    runWith("sailfish.echo.authentication=none\nsailfish.echo.port=x\n");
    assertEnds(1, "echo cannot start: sailfish.echo.port=x must be");
  }

  @Test
  void aFileThatIsMissingIsNamed() throws Exception {
    run(List.of(directory.resolve("nothing").toString()));
    assertEnds(1, "echo cannot start: configuration cannot be read: " + directory);
  }

  @Test
  void sigtermClosesTheDaemon() throws Exception {
    runWith("sailfish.echo.authentication=none\n");
    awaitReady();
    process.toHandle().destroy();
    assertEnds(128 + 15, "echo is closed");
  }

  @Test
  void aDaemonThatCannotGoOnEndsItsProcess() throws Exception {
    runWith("sailfish.echo.authentication=none\n");
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", awaitReady());
    try (Connection connection = Connection.open(address, "test", DEADLINE)) {
      connection.call(
          EchoService.COLLECT, EchoRequest.getDefaultInstance(), EmptyResponse.parser());
    }
    assertEnds(1, "echo ends: somebody has asked", "echo is closed");
  }
}
