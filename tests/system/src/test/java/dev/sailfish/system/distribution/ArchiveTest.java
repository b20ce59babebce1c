package dev.sailfish.system.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is in the archive for operators, and what is not. */
@Timeout(120)
class ArchiveTest {
  private static final String LIB = "lib/";

  /** As the list of licences has a library: its licences in parentheses, name, coordinates. */
  private static final Pattern LIBRARY =
      Pattern.compile("\\s+((?:\\([\\w.-]+\\) )+).*\\([^:()]+:([^:()]+):([^:() ]+) - .*");

  private static final Pattern LIBRARY_OF_WEB =
      Pattern.compile("\\s+(?:\\([\\w.-]+\\) )+.*\\(([^:()]+):([^:()]+):[^:() ]+ - .*");

  @TempDir private static Path directory;
  private static UnpackedArchive archive;
  private static List<String> files;

  @BeforeAll
  static void unpack() throws Exception {
    archive = UnpackedArchive.in(directory);
    files = archive.files();
  }

  private static List<String> jars() {
    return files.stream().filter(file -> file.startsWith(LIB)).toList();
  }

  @Test
  void hasWhatAnOperatorNeeds() {
    assertThat(files)
        .contains(
            "README.md",
            "LICENSE",
            "NOTICE",
            "bin/sailfish",
            "bin/sailfish-metaserver",
            "bin/sailfish-chunkserver",
            "bin/sailfish-lineage-master",
            "bin/sailfish-lineage-worker",
            "bin/sailfish-workflow",
            "bin/sailfish-node",
            "bin/sailfish-web",
            "bin/environment.sh",
            "conf/metaserver.properties",
            "conf/chunkserver.properties",
            "conf/lineage-master.properties",
            "conf/lineage-worker.properties",
            "conf/workflow.properties",
            "conf/node.properties",
            "conf/web.properties",
            "conf/jvm.options",
            "conf/chunkserver.jvm.options",
            "conf/metaserver.jvm.options",
            "conf/logback.xml",
            "client/sailfish-client.jar",
            "docs/OPERATIONS.md",
            "monitoring/grafana-dashboard.json",
            "monitoring/prometheus-rules.yml",
            "web/quarkus-run.jar",
            "web/quarkus/quarkus-application.dat",
            "web/THIRD-PARTY.txt",
            "systemd/sailfish-metaserver.service",
            "systemd/sailfish-chunkserver.service",
            "systemd/sailfish-lineage-master.service",
            "systemd/sailfish-lineage-worker.service",
            "systemd/sailfish-workflow.service",
            "systemd/sailfish-node.service",
            "systemd/sailfish-web.service");
    assertThat(archive.root().getFileName().toString() + ".tar.gz").startsWith("sailfish-");
    assertThat(files).allMatch(file -> file.split("/").length <= 6);
  }

  @Test
  void holdsNoHadoopAndNoTests() throws IOException {
    assertThat(jars()).hasSizeGreaterThan(30);
    for (String jar : jars()) {
      String others =
          jar.replaceFirst("^lib/sailfish-(hadoop-(entry|lineage|plugin)|lineage-hadoop-fs)-", "");
      assertThat(others)
          .endsWith(".jar")
          .doesNotContain("hadoop", "junit", "testkit", "benchmarks");
      try (JarFile opened = new JarFile(archive.root().resolve(jar).toFile())) {
        assertThat(opened.stream().map(entry -> entry.getName()))
            .as(jar)
            .noneMatch(name -> name.startsWith("org/apache/hadoop/") && name.endsWith(".class"));
      }
    }
  }

  @Test
  void holdsReleasesOfOthersOnly() {
    assertThat(jars())
        .allMatch(jar -> jar.startsWith("lib/sailfish-") || !jar.contains("SNAPSHOT"));
  }

  @Test
  void listsTheLicencesOfAllLibrariesAndHasTheirTexts() throws IOException {
    List<String> list = Files.readAllLines(archive.root().resolve("licenses/THIRD-PARTY.txt"));
    List<Matcher> libraries = list.stream().map(LIBRARY::matcher).filter(Matcher::matches).toList();
    assertThat(
            libraries.stream().map(found -> LIB + found.group(2) + "-" + found.group(3) + ".jar"))
        .containsExactlyInAnyOrderElementsOf(
            jars().stream().filter(jar -> !jar.startsWith("lib/sailfish-")).toList());
    for (Matcher library : libraries) {
      for (String name : library.group(1).replaceAll("[()]", "").split(" ")) {
        assertThat(files).as(library.group()).contains("licenses/" + name + ".txt");
      }
    }
    // What a library says of itself is there too.
    assertThat(files).contains("licenses/jackson-core/META-INF/NOTICE");
  }

  /** Of several licences of a library one is enough. */
  @Test
  void listsTheLicencesOfTheWebProcessToo() throws IOException {
    List<String> list = Files.readAllLines(archive.root().resolve("web/THIRD-PARTY.txt"));
    List<Matcher> libraries = list.stream().map(LIBRARY::matcher).filter(Matcher::matches).toList();
    List<String> jars =
        files.stream()
            .filter(file -> file.matches("web/lib/(boot|main)/.*\\.jar"))
            .map(file -> file.substring(file.lastIndexOf('/') + 1))
            .filter(file -> !file.startsWith("dev.sailfish."))
            .map(file -> file.replaceFirst("-\\d[^-]*(\\.Final)?\\.jar$", ""))
            .toList();
    assertThat(jars).hasSizeGreaterThan(50);
    List<String> listed =
        list.stream()
            .map(LIBRARY_OF_WEB::matcher)
            .filter(Matcher::matches)
            .map(found -> found.group(1) + "." + found.group(2))
            .toList();
    assertThat(listed).containsAll(jars);
    for (Matcher library : libraries) {
      assertThat(library.group(1).replaceAll("[()]", "").split(" "))
          .as(library.group())
          .anyMatch(name -> files.contains("licenses/" + name + ".txt"));
    }
  }

  @Test
  void unitsStartWhatIsThereAndKnowItsExitCodes() throws IOException {
    for (String daemon :
        List.of(
            "sailfish-metaserver",
            "sailfish-chunkserver",
            "sailfish-lineage-master",
            "sailfish-lineage-worker",
            "sailfish-workflow",
            "sailfish-node",
            "sailfish-web")) {
      String unit = Files.readString(archive.root().resolve("systemd/" + daemon + ".service"));
      assertThat(unit)
          .contains(
              "\nType=exec\n",
              "\nUser=sailfish\n",
              "\nExecStart=/opt/sailfish/bin/" + daemon + " /etc/sailfish/",
              "\nKillSignal=SIGTERM\n",
              "\nSuccessExitStatus=143\n",
              "\nRestartPreventExitStatus=2\n",
              "\nRestart=on-failure\n")
          // What is in /dev/shm outlives a restart only on the machine's own.
          .doesNotContain(
              daemon.matches(".*-(chunkserver|lineage-worker|node)")
                  ? "\nPrivateDevices="
                  : "\nPrivateIPC=");
      assertThat(archive.root().resolve("bin/" + daemon)).isExecutable();
    }
  }

  @Test
  void saysNothingOfWhoBuiltItAndWhen() throws Exception {
    Process tar =
        new ProcessBuilder(
                "tar", "--numeric-owner", "--utc", "-tvzf", UnpackedArchive.archive().toString())
            .redirectErrorStream(true)
            .start();
    List<String> lines =
        new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    assertThat(lines)
        .hasSizeGreaterThan(100)
        .allMatch(line -> line.matches("\\S+ 0/0 +\\d+ 2026-01-01 00:00 .*"))
        .allMatch(line -> line.matches("(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) .*"));
  }
}
