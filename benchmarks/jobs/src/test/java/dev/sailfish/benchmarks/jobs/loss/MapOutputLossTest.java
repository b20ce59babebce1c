package dev.sailfish.benchmarks.jobs.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.localcluster.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MapOutputLossTest {
  private static final String RUNNING = "application_1700000000000_0002";
  private static final String EARLIER = "application_1700000000000_0001";

  @TempDir private Path directory;
  private Path local;
  private MapOutputLoss loss;

  @BeforeEach
  void createLocalDirectory() throws IOException {
    local = Files.createDirectories(directory.resolve("data/nodemanager"));
    loss = new MapOutputLoss(local);
  }

  private Path output(String application) {
    return local.resolve("usercache/anyone/appcache").resolve(application).resolve("output");
  }

  private Path attempt(String application, String task, int number) throws IOException {
    String job = application.replace("application", "attempt");
    Path attempt = output(application).resolve(job + "_" + task + "_" + number);
    Files.createDirectories(attempt);
    Files.writeString(attempt.resolve("file.out"), "records");
    Files.writeString(attempt.resolve("file.out.index"), "index");
    return attempt;
  }

  @Test
  void emptiesAllAttemptsOfEveryFourthMap() throws IOException {
    List<Path> gone =
        List.of(
            attempt(RUNNING, "m_000000", 0),
            attempt(RUNNING, "m_000004", 0),
            attempt(RUNNING, "m_000004", 1),
            attempt(RUNNING, "m_000012", 0));
    List<Path> kept =
        List.of(
            attempt(RUNNING, "m_000001", 0),
            attempt(RUNNING, "m_000003", 4),
            attempt(RUNNING, "m_000014", 0),
            attempt(RUNNING, "r_000004", 0),
            attempt(EARLIER, "m_000004", 0));
    loss.strike(RUNNING);
    for (Path attempt : gone) {
      assertThat(attempt.resolve("file.out")).isEmptyFile();
      assertThat(attempt.resolve("file.out.index")).hasContent("index");
    }
    assertThat(kept)
        .allSatisfy(attempt -> assertThat(attempt.resolve("file.out")).hasContent("records"));
    assertThat(loss.lost()).contains("output of maps 0 4 12");
  }

  @Test
  void nothingIsLostWhereThereIsNothing() throws IOException {
    attempt(RUNNING, "m_000001", 0);
    assertThatThrownBy(() -> loss.strike(RUNNING))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(RUNNING)
        .hasMessageContaining(local.toString());
    assertThat(loss.lost()).isEmpty();
  }

  @Test
  void followsNoLinkAndNoNameOutOfTheDirectory() throws IOException {
    Path elsewhere = Files.createDirectories(directory.resolve("elsewhere/output"));
    Path precious = elsewhere.resolve("attempt_1_1_m_000000_0/file.out");
    Files.createDirectories(precious.getParent());
    Files.writeString(precious, "precious");
    Files.createDirectories(output("application_1_3"));
    Files.createSymbolicLink(
        output("application_1_3").resolve("attempt_1_3_m_000000_0"), precious.getParent());
    Path linked =
        Files.createDirectories(output("application_1_3").resolve("attempt_1_3_m_000004_0"));
    Files.createSymbolicLink(linked.resolve("file.out"), precious);
    Files.createDirectories(output(RUNNING).getParent());
    Files.createSymbolicLink(output(RUNNING), elsewhere);
    Path user = Files.createDirectories(local.resolve("usercache/other"));
    Files.createSymbolicLink(user.resolve("appcache"), elsewhere.getParent().getParent());
    Files.createSymbolicLink(directory.resolve(RUNNING), elsewhere.getParent());
    assertThat(loss.chosen(RUNNING)).isEmpty();
    assertThat(loss.chosen("application_1_3")).isEmpty();
    assertThatThrownBy(() -> loss.strike("../../elsewhere"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(precious).hasContent("precious");
  }
}
