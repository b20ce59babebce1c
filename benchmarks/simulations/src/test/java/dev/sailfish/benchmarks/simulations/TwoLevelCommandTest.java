package dev.sailfish.benchmarks.simulations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.cli.Sailfish;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code model two-level}: what it prints, writes and refuses. */
class TwoLevelCommandTest {
  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CommandLine line =
      Sailfish.commandLine("model")
          .setOut(new PrintWriter(out, true))
          .setErr(new PrintWriter(err, true));

  private int execute(String... options) {
    List<String> arguments = new ArrayList<>(List.of("model", "two-level"));
    arguments.addAll(List.of(options));
    return line.execute(arguments.toArray(String[]::new));
  }

  /** Cells of the lines that begin in this way, in their order. */
  private List<List<String>> rows(String beginning) {
    assertThat(err.toString()).isEmpty();
    return out.toString()
        .lines()
        .filter(row -> row.startsWith(beginning))
        .map(row -> List.of(row.split(" {2,}")))
        .toList();
  }

  /** The sentence before the usage. */
  private String refusal(String... options) {
    err.getBuffer().setLength(0);
    assertThat(execute(options)).as("exit code").isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).contains("Usage: sailfish model two-level");
    return err.toString().lines().findFirst().orElseThrow();
  }

  @Test
  void withoutOptionsItPrintsThePapersParametersAndCrossings() {
    assertThat(execute()).isZero();
    assertThat(rows("memory  ").get(0)).containsExactly("memory", "--memory", "6267", "MB/s");
    assertThat(rows("parallel file system in all").get(0)).contains("10000, 50000");
    assertThat(rows("backplane").get(0)).contains("no limit");
    assertThat(rows("parallel (10 GB/s)"))
        .containsExactly(
            List.of("parallel (10 GB/s)", "read, write", "3", "100.0", "10000.0"),
            List.of("parallel (10 GB/s)", "read", "43", "10000.0", "10191.0", "+0.0 %"),
            List.of("parallel (10 GB/s)", "write", "259", "10000.0", "10014.7", "+0.0 %"));
    assertThat(out.toString())
        .contains(
            "Fewest compute nodes that together get more from HDFS than from another storage:");
    assertThat(rows("storage").get(1))
        .containsExactly(
            "storage", "access", "nodes", "its MB/s", "HDFS MB/s", "gain over parallel");
    assertThat(rows("two-level f=0.5 (50 GB/s)").get(1))
        .contains("read", "414", "98109.3", "98118.0", "+96.2 %");
  }

  @Test
  void throughputsOfAllStoragesAreForTheNodesThatAreAskedFor() {
    assertThat(execute("--nodes", "20", "--parallel", "10000", "--memory-share", "0.5")).isZero();
    assertThat(out.toString()).contains("Throughput with 20 compute nodes:\n");
    assertThat(rows("HDFS"))
        .containsExactly(
            List.of("HDFS", "local read", "1", "237.0", "4740.0"),
            List.of("HDFS", "remote read", "1", "237.0", "4740.0"),
            List.of("HDFS", "write", "2", "38.7", "773.3"));
    assertThat(rows("memory  ").subList(1, 4))
        .containsExactly(
            List.of("memory", "local read", "4", "6267.0", "125340.0"),
            List.of("memory", "remote read", "4", "1170.0", "23400.0"),
            List.of("memory", "write", "5", "6267.0", "125340.0"));
    assertThat(rows("two-level (10 GB/s)").get(0)).containsSubsequence("write", "6", "500.0");
    assertThat(rows("two-level f=0.5 (10 GB/s)").get(0)).containsSubsequence("read", "7", "926.1");
  }

  @Test
  void eachParameterCanBeChanged() {
    assertThat(
            execute(
                "--disk-read=100",
                "--disk-write=30",
                "--memory=5000",
                "--network=1000",
                "--backplane=900000",
                "--parallel=2000",
                "--memory-share=0.75"))
        .isZero();
    assertThat(rows("local disk, read").get(0)).contains("100");
    assertThat(rows("local disk, write").get(0)).contains("30");
    assertThat(rows("network interface").get(0)).contains("1000");
    assertThat(rows("backplane").get(0)).contains("900000");
    assertThat(rows("part of the data").get(0)).contains("0.75");
    assertThat(rows("parallel (2 GB/s)").get(1)).contains("21");
    assertThat(rows("two-level (2 GB/s)").get(1)).contains("201");
    assertThat(rows("two-level f=0.75 (2 GB/s)")).hasSize(2);
  }

  @Test
  void dataNodesMakeTheParallelFileSystem() {
    assertThat(execute("--data-nodes", "5", "--data-disk", "400")).isZero();
    assertThat(rows("parallel file system in all").get(0)).contains("2000");
    assertThat(execute("--data-nodes", "5", "--data-disk", "4000")).isZero();
    assertThat(rows("parallel file system in all").get(1)).as("their interfaces").contains("5850");
  }

  @Test
  void linesThatDoNotCrossAreTold() {
    assertThat(execute("--memory-share", "1", "--parallel", "10000", "--backplane", "15000"))
        .isZero();
    assertThat(rows("two-level f=1 (10 GB/s)").get(1)).contains("above 1000000", "-");
    assertThat(rows("parallel (10 GB/s)").get(2)).contains("write", "above 1000000");
  }

  @Test
  void figuresGoAQuarterBeyondTheLastCrossing() throws IOException {
    Path figures = directory.resolve("figures");
    assertThat(execute("--figures", figures.toString())).isZero();
    List<String> read = Files.readAllLines(figures.resolve("two-level-read.csv"));
    assertThat(read).hasSize(1 + 1 + 518);
    assertThat(read.subList(0, 3))
        .containsExactly(
            "compute nodes,HDFS MB/s,parallel (10 GB/s) MB/s,two-level f=0.2 (10 GB/s) MB/s,"
                + "two-level f=0.5 (10 GB/s) MB/s,parallel (50 GB/s) MB/s,"
                + "two-level f=0.2 (50 GB/s) MB/s,two-level f=0.5 (50 GB/s) MB/s",
            "0,0,0,0,0,0,0,0",
            "1,237,1170,1397.284,1971.868,1170,1397.284,1971.868");
    assertThat(read.get(1 + 43)).startsWith("43,10191,10000,");
    List<String> write = Files.readAllLines(figures.resolve("two-level-write.csv"));
    assertThat(write).hasSize(1 + 1 + 1618);
    assertThat(write.get(1 + 300)).isEqualTo("300,11600,10000,10000,50000,50000");
    for (String name : List.of("two-level-read.svg", "two-level-write.svg")) {
      assertThat(figures.resolve(name)).content().startsWith("<svg ").contains("compute nodes");
    }
  }

  @Test
  void figuresGoAsFarAsIsAskedForWithAtMost2000Points() throws IOException {
    assertThat(execute("--until", "3", "--figures", directory.toString())).isZero();
    assertThat(directory.resolve("two-level-read.csv")).content().hasLineCount(1 + 4);
    assertThat(execute("--until", "1000000", "--figures", directory.toString())).isZero();
    List<String> lines = Files.readAllLines(directory.resolve("two-level-write.csv"));
    assertThat(lines).hasSize(1 + 1001);
    assertThat(lines.get(2)).startsWith("1000,38666.667,10000,");
  }

  @Test
  void numbersOfNodesHaveLimits() {
    assertThat(refusal("--nodes", "0"))
        .isEqualTo("--nodes is 0, but is a number of nodes: give one from 1 to 1000000");
    assertThat(refusal("--until", "1000001"))
        .startsWith("--until is 1000001, but is a number of nodes");
    assertThat(refusal("--data-nodes", "-1", "--data-disk", "1")).startsWith("--data-nodes is -1");
    assertThat(refusal("--nodes", "many")).contains("'--nodes': 'many' is not an int");
  }

  @Test
  void throughputsAreAboveZeroAndOptionsAreNamed() {
    for (String option :
        List.of(
            "--disk-read", "--disk-write", "--memory", "--network", "--backplane", "--parallel")) {
      assertThat(refusal(option, "0"))
          .isEqualTo(option + " is 0.0, but is a throughput: give a number of MB/s above 0");
      assertThat(refusal(option, "NaN")).startsWith(option + " is NaN");
    }
    assertThat(refusal("--data-nodes", "1", "--data-disk", "-5")).startsWith("--data-disk is -5.0");
  }

  @Test
  void theShareInMemoryIsAPart() {
    assertThat(refusal("--memory-share", "0.2,20"))
        .isEqualTo(
            "--memory-share is 20.0, but is a part of the data: give numbers from 0 to 1, as"
                + " 0.2,0.5");
  }

  @Test
  void theParallelFileSystemIsDescribedOnce() {
    assertThat(refusal("--data-nodes", "2")).endsWith("give both, or --parallel instead");
    assertThat(refusal("--data-disk", "2")).endsWith("give both, or --parallel instead");
    assertThat(refusal("--parallel", "1", "--data-nodes", "2", "--data-disk", "2"))
        .endsWith("leave one of them out");
  }

  @Test
  void aDirectoryThatCannotBeMadeIsOneSentence() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThat(execute("--figures", file.resolve("figures").toString())).isEqualTo(1);
    assertThat(err.toString())
        .startsWith("sailfish: Cannot make the directory of --figures " + file)
        .hasLineCount(1);
  }

  @Test
  void modelNeedsAModel() {
    assertThat(line.execute("model")).isEqualTo(2);
    assertThat(err.toString()).contains("two-level");
  }
}
