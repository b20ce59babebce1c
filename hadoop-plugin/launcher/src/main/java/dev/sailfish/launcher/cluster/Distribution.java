package dev.sailfish.launcher.cluster;

import dev.sailfish.launcher.LauncherException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files that the build put together, and the configuration beside them in the source tree.
 *
 * @param root root directory of the project, absolute
 */
public record Distribution(Path root) {
  /** System property that {@code bin/sailfish} sets to the project's root directory. */
  public static final String ROOT_PROPERTY = "sailfish.root";

  public Distribution {
    root = root.toAbsolutePath().normalize();
  }

  /** The distribution that {@code bin/sailfish} found itself in. */
  public static Distribution current() {
    String root = System.getProperty(ROOT_PROPERTY);
    if (root == null) {
      throw new LauncherException(
          "The system property " + ROOT_PROPERTY + " is not set: start this through bin/sailfish.");
    }
    return new Distribution(Path.of(root));
  }

  private Path dist() {
    return root.resolve("hadoop-plugin/launcher/target/dist");
  }

  /** Class path entry with Hadoop's jars: daemons, application master, tasks and job clients. */
  public String hadoopClassPath() {
    return dist().resolve("hadoop/lib") + "/*";
  }

  /** Class path entry with the jars of the Sailfish daemons and of this launcher. */
  String sailfishClassPath() {
    return dist().resolve("sailfish/lib") + "/*";
  }

  /** The one jar that tasks need for Sailfish's shuffle. */
  public Path clientJar() {
    return dist().resolve("client/sailfish-client.jar");
  }

  /** This launcher's own jar, which holds the jobs of the bench and of the demo. */
  public Path launcherJar() {
    return onlyJar(dist().resolve("sailfish/lib"), "sailfish-launcher-");
  }

  /** Hadoop's examples: WordCount, TeraSort and others. */
  public Path examplesJar() {
    return onlyJar(dist().resolve("examples"), "hadoop-mapreduce-examples-");
  }

  /** Jars of source code, the demo's text. */
  public List<Path> corpusJars() {
    return jars(dist().resolve("corpus"), "");
  }

  /** A file of the project's {@code conf} directory. */
  Path conf(String name) {
    return root.resolve("conf").resolve(name);
  }

  /** The flags from {@code conf/jvm.options}. */
  public List<String> jvmOptions() {
    try (Stream<String> lines = Files.lines(conf("jvm.options"))) {
      return lines
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The {@code java} that runs this JVM. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static Path onlyJar(Path directory, String prefix) {
    List<Path> found = jars(directory, prefix);
    if (found.size() != 1) {
      throw new LauncherException(
          "Expected one "
              + prefix
              + "*.jar in "
              + directory
              + " but found "
              + found
              + ": build the project again.");
    }
    return found.get(0);
  }

  private static List<Path> jars(Path directory, String prefix) {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .filter(file -> file.getFileName().toString().endsWith(".jar"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new LauncherException("Cannot list " + directory + ": build the project again.", e);
    }
  }
}
