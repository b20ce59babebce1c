package dev.sailfish.system.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What .ci/run runs, leaves out, and says of it; Maven itself is a program that only ends. */
class CiScriptTest {
  private final SourceTree tree = SourceTree.ofThisProject();

  @TempDir private Path directory;

  private record Result(int exitCode, List<String> lines) {
    String last() {
      return lines.get(lines.size() - 1);
    }
  }

  private Result run(String mavenScript, String minutes, String... arguments) throws Exception {
    Path bin = Files.createDirectories(directory.resolve("bin"));
    Path maven = Files.writeString(bin.resolve("mvn"), "#!/bin/sh\n" + mavenScript + "\n");
    Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwx------"));
    // So that nothing is installed on the machine that runs the tests.
    Files.writeString(bin.resolve("lzop"), "#!/bin/sh\n");
    Files.setPosixFilePermissions(
        bin.resolve("lzop"), PosixFilePermissions.fromString("rwx------"));
    List<String> command = new ArrayList<>(List.of(tree.root().resolve(".ci/run").toString()));
    command.addAll(List.of(arguments));
    Path log = directory.resolve("log");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(log.toFile());
    builder.environment().put("SAILFISH_CI_MINUTES", minutes);
    builder.environment().merge("PATH", bin.toString(), (path, first) -> first + ":" + path);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as(Files.readString(log)).isTrue();
      return new Result(process.exitValue(), Files.readAllLines(log));
    } finally {
      process.destroyForcibly();
    }
  }

  private List<String> suites() throws Exception {
    return run("exit 0", "85", "--suites").lines();
  }

  @Test
  void eachLongTestIsInExactlyOneSuite() throws Exception {
    Set<String> tagged = new TreeSet<>();
    for (Path file : tree.files()) {
      String name = file.getFileName().toString();
      boolean test = name.endsWith("Test.java") && !name.equals("CiScriptTest.java");
      if (test && Files.readString(file).contains("@Tag(\"long\")")) {
        tagged.add(name.substring(0, name.length() - ".java".length()));
      }
    }
    List<String> named = new ArrayList<>();
    for (String suite : suites()) {
      String what = suite.split("\\s+")[2];
      if (!what.startsWith(".ci/")) {
        named.addAll(List.of(what.split(",")));
      }
    }
    assertThat(named).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(tagged);
    assertThat(suites()).anyMatch(suite -> suite.contains(".ci/reproducible"));
  }

  @Test
  void eachSuiteComesFirstOnceInAsManyLandings() throws Exception {
    int count = suites().size();
    Set<String> first = new HashSet<>();
    for (int landing = 100; landing < 100 + count; landing++) {
      List<String> order = run("exit 0", "85", "--order", Integer.toString(landing)).lines();
      assertThat(order).hasSize(count).doesNotHaveDuplicates();
      first.add(order.get(0));
    }
    assertThat(first).hasSize(count);
  }

  @Test
  void whatThereIsNoTimeForIsInTheLastLine() throws Exception {
    // Two builds make the same files.
    String builds =
        "case \"$*\" in *-DskipTests*) mkdir -p target; echo x >target/x.jar;"
            + " touch --date=@0 target/x.jar;"
            + " tar --create --gzip --file=target/sailfish-x.tar.gz target/x.jar;; esac";
    Result result = run(builds, "21");
    assertThat(result.exitCode()).isZero();
    assertThat(result.lines()).anyMatch(line -> line.startsWith("+ mvn -B verify "));
    assertThat(result.last()).startsWith("left out: ").contains("chaos").contains("want of time");
    assertThat(result.lines()).contains("skipped tests:");
  }

  @Test
  void suitesThatAreNamedAreRunAlone() throws Exception {
    Result result = run("exit 0", "85", "yarn-tls", "fuzz");
    assertThat(result.exitCode()).isZero();
    assertThat(result.lines())
        .noneMatch(line -> line.matches("\\+ mvn -B verify +\\(.*"))
        .anyMatch(line -> line.contains("-pl tests/system ") && line.contains("TlsYarnTest"))
        .anyMatch(
            line ->
                line.contains("-pl ground/server,tests/system ")
                    && line.contains("-Dtest=FrameFuzzTest,BadRequestFuzzTest"));
    assertThat(result.last()).isEqualTo("left out: nothing");
  }

  @Test
  void aSuiteThatFailsFailsTheRun() throws Exception {
    Result result = run("case \"$*\" in *SoakTest*) exit 1;; esac", "85", "soak", "fuzz");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.lines())
        .contains("FAILED: soak")
        .anyMatch(line -> line.contains("FrameFuzzTest"));
    assertThat(result.last()).isEqualTo("left out: nothing");
  }

  @Test
  void afterAFailureOfTheTestsNothingElseIsRun() throws Exception {
    Result result = run("case \"$*\" in *-v*) ;; *) exit 1;; esac", "85");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.lines()).contains("FAILED: mvn -B verify");
    assertThat(result.last())
        .startsWith("left out: ")
        .contains("reproducible", "chaos", "because the tests before failed");
  }

  @Test
  void whatFailedIsSaidAtTheEnd() throws Exception {
    String failing =
        "case \"$*\" in *-v*) ;; *) "
            + "echo '[ERROR] a.BTest.works -- Time elapsed: 0.1 s <<< FAILURE!';"
            + "echo '[ERROR] Failures: ';"
            + "echo '[ERROR]   BTest.works:12 expected 1 but was 2';"
            + "echo '[ERROR] Re-run Maven using the -X switch'; exit 1;; esac";
    Result result = run(failing, "85");
    int errors = result.lines().lastIndexOf("errors:");
    assertThat(result.lines().subList(errors + 1, result.lines().size() - 2))
        .containsExactly(
            "  a.BTest.works -- Time elapsed: 0.1 s <<< FAILURE!",
            "  BTest.works:12 expected 1 but was 2");
    assertThat(result.lines().subList(0, errors)).contains("skipped tests:");
  }

  @Test
  void anUnknownSuiteIsRefused() throws Exception {
    Result result = run("exit 0", "85", "kaos");
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.last()).contains("no such suite: kaos").contains("chaos");
  }

  @Test
  void skippedTestsAreListedWithTheirReasons() throws Exception {
    Path reports = Files.createDirectories(directory.resolve("module/target/surefire-reports"));
    write(
        reports,
        "a.BTest",
        "  <testcase name=\"works\" classname=\"a.BTest\" time=\"0.1\"/>\n"
            + "  <testcase name=\"needs(Path, Seed)\" classname=\"a.BTest\" time=\"0.0\">\n"
            + "    <skipped type=\"org.opentest4j.TestAbortedException\"><![CDATA[org.opentest4j."
            + "TestAbortedException: Assumption failed: no lzop here: install it\n\tat a.B.c\n"
            + "]]></skipped>\n  </testcase>\n");
    write(
        reports,
        "a.CTest",
        "  <testcase name=\"off\" classname=\"a.CTest\" time=\"0.0\">\n"
            + "    <skipped message=\"too slow\"/>\n  </testcase>\n");
    assertThat(run("exit 0", "85", "--skipped", directory.toString()).lines())
        .containsExactly("BTest.needs: no lzop here: install it", "CTest.off: too slow");
  }

  private static void write(Path reports, String test, String cases) throws IOException {
    Files.writeString(
        reports.resolve("TEST-" + test + ".xml"),
        "<?xml version=\"1.0\"?>\n<testsuite name=\"" + test + "\">\n" + cases + "</testsuite>\n");
  }
}
