package dev.sailfish.system.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.system.SailfishCommand;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The client jar goes on every task's class path: it must not bring anybody else's classes. */
class ClientJarTest {
  private final Path jar;

  ClientJarTest() {
    jar =
        SailfishCommand.projectRoot()
            .resolve("hadoop-plugin/cli/target/dist/client/sailfish-client.jar");
  }

  @Test
  void shouldHoldOnlyPackagesOfItsOwn() throws Exception {
    Set<String> packages = new TreeSet<>();
    try (JarFile file = new JarFile(jar.toFile())) {
      file.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.endsWith(".class"))
          .forEach(
              name -> packages.add(name.substring(0, name.lastIndexOf('/')).replace('/', '.')));
    }
    assertThat(packages)
        .isNotEmpty()
        .allSatisfy(
            name ->
                assertThat(name)
                    .matches(
                        "dev\\.sailfish\\.(format(\\.order|\\.tail)?|codec|ground\\.(config|memory)"
                            + "|ground\\.wire(\\.message|\\.secret|\\.introduction|\\.tls|\\.token|\\.kerberos)?"
                            + "|protocol(\\.wire|\\.client)?|iappender|"
                            + "imerger(\\.fetch|\\.merge)?|"
                            + "workbuilder(\\.collect|\\.plan(\\.stored)?)?|"
                            + "hadoop(\\.auto|\\.warm|\\.am(\\.(heartbeat|launch|report|rerun|warm))?|"
                            + "\\.lineage(\\.(command|record|recompute|wire))?)?|"
                            + "lineage\\.(client(\\.(block|lost))?|hadoop(\\.(marks|qfs))?|protocol(\\.wire)?"
                            + "|qfs(\\.(append|meta|read|wire|write))?)|"
                            + "shaded\\..*)"
                            + "|org\\.apache\\.hadoop\\.mapred" // of what is visible there only
                            + "|net\\.jpountz\\.(lz4|util)")); // native methods keep their names
  }

  @Test
  void shouldHoldThePlugIns() throws Exception {
    try (JarFile file = new JarFile(jar.toFile())) {
      for (String name : Set.of("SailfishMapOutputCollector", "SailfishShuffleConsumer")) {
        assertThat(file.getEntry("dev/sailfish/hadoop/" + name + ".class")).as(name).isNotNull();
      }
      assertThat(file.getEntry("dev/sailfish/hadoop/LzoCodec.class")).isNotNull();
      assertThat(file.getEntry("dev/sailfish/hadoop/am/SailfishAppMaster.class")).isNotNull();
      for (String name : Set.of("LineageFileSystem", "LineageFs")) {
        assertThat(file.getEntry("dev/sailfish/lineage/hadoop/" + name + ".class")).isNotNull();
      }
      for (String name : Set.of("QfsFileSystem", "QfsFs")) {
        assertThat(file.getEntry("dev/sailfish/lineage/hadoop/qfs/" + name + ".class")).isNotNull();
      }
      assertThat(file.getEntry("dev/sailfish/hadoop/am/rerun/ReduceRerunMain.class")).isNotNull();
      assertThat(file.getEntry("dev/sailfish/hadoop/lineage/record/JobRecorder.class")).isNotNull();
    }
  }

  /** Relocating other libraries' classes, or leaving some out, can break what refers to them. */
  @Test
  void everyClassShouldPassTheVerifier() throws Exception {
    Set<String> names = new TreeSet<>();
    try (JarFile file = new JarFile(jar.toFile())) {
      file.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.matches("dev/sailfish/.*\\.class"))
          .forEach(name -> names.add(name.replace('/', '.').replaceAll("\\.class$", "")));
    }
    assertThat(names).hasSizeGreaterThan(200);
    List<URL> classPath = new ArrayList<>(List.of(jar.toUri().toURL()));
    try (Stream<Path> hadoop = Files.walk(jar.getParent().resolveSibling("hadoop"))) {
      for (Path file : hadoop.filter(path -> path.toString().endsWith(".jar")).toList()) {
        classPath.add(file.toUri().toURL());
      }
    }
    try (URLClassLoader loader =
        new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(loader);
      try {
        for (String name : names) {
          // To initialize a class is to verify it first.
          assertThat(Class.forName(name, true, loader).getClassLoader()).isSameAs(loader);
        }
      } finally {
        thread.setContextClassLoader(before);
      }
    }
  }

  @Test
  void shouldHoldItsOwnServicesAndNoOthers() throws Exception {
    try (JarFile file = new JarFile(jar.toFile())) {
      assertThat(file.stream().map(entry -> entry.getName()))
          .noneMatch(name -> name.endsWith(".proto"))
          .filteredOn(name -> name.startsWith("META-INF/services/") && !name.endsWith("/"))
          .containsExactlyInAnyOrder(
              "META-INF/services/dev.sailfish.lineage.hadoop.OutputRecorder",
              "META-INF/services/org.apache.hadoop.security.token.TokenRenewer");
    }
  }
}
