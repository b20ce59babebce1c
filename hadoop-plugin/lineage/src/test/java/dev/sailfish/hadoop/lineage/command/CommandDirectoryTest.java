package dev.sailfish.hadoop.lineage.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.hadoop.lineage.wire.Command;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs real commands. */
@Timeout(60)
class CommandDirectoryTest {
  @TempDir private Path parent;
  private CommandDirectory directory;

  @BeforeEach
  void start() throws IOException {
    directory = CommandDirectory.create(parent);
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    directory.close();
    assertThat(parent).isEmptyDirectory();
  }

  private int run(Command command, Duration deadline) throws IOException {
    return directory.run(command, Redirect.DISCARD, Redirect.DISCARD, deadline);
  }

  private static Command shell(String script) {
    return Command.newBuilder().addArguments("sh").addArguments("-c").addArguments(script).build();
  }

  @Test
  void aCommandHasItsFilesAndItsEnvironmentAlone() throws IOException {
    Files.writeString(directory.file("in"), "b\na\n");
    Files.writeString(directory.file("first"), "#!/bin/sh\nsort in | head -n 1\n");
    directory.makeExecutable("first");
    Command command =
        shell("./first > out; env > variables; mkdir left").toBuilder()
            .putEnvironment("COLOUR", "blue")
            .putEnvironment("PATH", System.getenv("PATH"))
            .build();
    assertThat(run(command, Duration.ofSeconds(30))).isZero();
    assertThat(directory.file("out")).hasContent("a\n");
    List<String> variables = Files.readAllLines(directory.file("variables"));
    variables.removeIf(line -> line.matches("(PWD|OLDPWD|SHLVL|_)=.*")); // the shell's own
    assertThat(variables)
        .map(line -> line.replaceAll("=.*", ""))
        .containsExactlyInAnyOrder("COLOUR", "PATH", "HOME", "TMPDIR");
    assertThat(run(shell("exit 7"), Duration.ofSeconds(30))).isEqualTo(7);
  }

  @Test
  void aCommandThatDoesNotEndIsKilled() {
    assertThatThrownBy(() -> run(shell("sleep 1000; true"), Duration.ofSeconds(1)))
        .isInstanceOf(IOException.class)
        .hasMessage("the command has not ended within 1 s, and was killed");
  }

  @Test
  void namesAreOfOneFileEach() {
    Command command = Command.newBuilder().addInputNames("a").addOutputNames("b").build();
    CommandDirectory.check(command, List.of("c"));
    assertThatThrownBy(() -> CommandDirectory.check(command, List.of("b")))
        .hasMessageContaining("two files are called b");
    assertThatThrownBy(() -> CommandDirectory.check(command, List.of("recipe")))
        .hasMessageContaining("a program cannot be called recipe");
    for (String wrong : List.of("", "..", "a/b")) {
      Command named = command.toBuilder().setInputNames(0, wrong).build();
      assertThatThrownBy(() -> CommandDirectory.check(named, List.of()))
          .hasMessageContaining("\"%s\" is no name".formatted(wrong));
    }
  }

  @Test
  void anOrderIsItsArguments() {
    CommandOrder order = new CommandOrder(5, Duration.ofSeconds(9), List.of(-1L, 7L));
    assertThat(CommandOrder.of(order.arguments())).isEqualTo(order);
    assertThatThrownBy(() -> CommandOrder.of(List.of("5", "9000")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatChangesBytesIsKeptOfTheEnvironment() {
    Map<String, String> whole = Map.of("LC_ALL", "C", "TZ", "UTC", "PATH", "/bin", "SECRET", "x");
    assertThat(CommandRecipe.environment(whole)).containsOnlyKeys("LC_ALL", "TZ", "PATH");
  }
}
