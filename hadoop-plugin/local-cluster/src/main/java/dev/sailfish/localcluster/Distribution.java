package dev.sailfish.localcluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files that the build put together, and the configuration beside them: in the source tree, or
 * unpacked from the archive that operators get, which has no Hadoop.
 *
 * @param root root directory of the source tree or of the archive, absolute
 */
public record Distribution(Path root) {
  /** System property that {@code bin/sailfish} sets to the root directory. */
  public static final String ROOT_PROPERTY = "sailfish.root";

  /** Environment variable with further flags for these JVMs, blanks between them. */
  private static final String JAVA_OPTIONS = "SAILFISH_JAVA_OPTS";

  /** Environment variable: a directory with the jars of another Hadoop than the build's. */
  private static final String HADOOP_LIB = "SAILFISH_HADOOP_LIB";

  /** Environment variable: the Java of Hadoop's daemons, and so of containers that set no other. */
  private static final String HADOOP_JAVA_HOME = "SAILFISH_HADOOP_JAVA_HOME";

  /** Environment variable: a memory file system for what daemons keep in memory. */
  private static final String MEMORY = "SAILFISH_MEMORY_DIR";

  private static final String SHARED_MEMORY = "/dev/shm";

  public Distribution {
    root = root.toAbsolutePath().normalize();
  }

  /** The distribution that {@code bin/sailfish} found itself in. */
  public static Distribution current() {
    String root = System.getProperty(ROOT_PROPERTY);
    if (root == null) {
      throw new CommandException(
          "The system property " + ROOT_PROPERTY + " is not set: start this through bin/sailfish.");
    }
    return new Distribution(Path.of(root));
  }

  private boolean isUnpacked() {
    return Files.isDirectory(root.resolve("lib"));
  }

  private Path dist() {
    return isUnpacked() ? root : root.resolve("hadoop-plugin/cli/target/dist");
  }

  /**
   * Class path entry with Hadoop's jars: daemons, application master, tasks and job clients.
   *
   * @throws CommandException in an unpacked archive
   */
  public String hadoopClassPath() {
    if (isUnpacked()) {
      throw new CommandException(
          "This needs Hadoop's jars, which a distribution does not hold: run bin/sailfish of a"
              + " source tree.");
    }
    String own = dist().resolve("hadoop/lib").toString();
    return System.getenv().getOrDefault(HADOOP_LIB, own) + "/*";
  }

  /**
   * The memory file system on which daemons have directories of their own: {@code /dev/shm}, or
   * what the variable {@code SAILFISH_MEMORY_DIR} names.
   *
   * @throws CommandException when it is no directory
   */
  public Path memory() {
    Path memory = Path.of(System.getenv().getOrDefault(MEMORY, SHARED_MEMORY));
    if (!memory.isAbsolute() || !Files.isDirectory(memory)) {
      throw new CommandException(
          "%s=%s is no directory: name one by its whole path, on a memory file system."
              .formatted(MEMORY, memory));
    }
    return memory;
  }

  /** {@code JAVA_HOME} of Hadoop's daemons. */
  String hadoopJavaHome() {
    return System.getenv().getOrDefault(HADOOP_JAVA_HOME, System.getProperty("java.home"));
  }

  /** Class path entry with the jars of the Sailfish daemons. */
  public String sailfishClassPath() {
    return dist().resolve(isUnpacked() ? "lib" : "sailfish/lib") + "/*";
  }

  /**
   * The same, and in a source tree Hadoop's, and the file system that benchmarks mount: of daemons
   * that mount file systems of Hadoop.
   */
  String mountingClassPath() {
    return isUnpacked()
        ? sailfishClassPath()
        : String.join(
            ":",
            sailfishClassPath(),
            hadoopClassPath(),
            root.resolve("benchmarks/jobs/target/dist/lib/sailfish-limited-fs.jar").toString());
  }

  /** The one jar that tasks need for Sailfish's shuffle. */
  public Path clientJar() {
    return dist().resolve("client/sailfish-client.jar");
  }

  /**
   * The jar that starts the web process, which has its own class path.
   *
   * @throws CommandException when it was not built
   */
  Path webJar() {
    Path directory = root.resolve(isUnpacked() ? "web" : "workbuilder/web/target/quarkus-app");
    Path jar = directory.resolve("quarkus-run.jar");
    if (!Files.isRegularFile(jar)) {
      throw new CommandException(
          "The web process is not built: there is no "
              + jar
              + ". Run mvn -DskipTests package in "
              + root
              + ", or start with --no-web.");
    }
    return jar;
  }

  /** A file of the project's {@code conf} directory. */
  Path conf(String name) {
    return root.resolve("conf").resolve(name);
  }

  /** The JVM's flags in a file of {@code conf}. */
  List<String> options(String file) {
    try (Stream<String> lines = Files.lines(conf(file))) {
      return lines
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * A command that runs a main class with this JVM's {@code java} and the flags that {@code
   * conf/jvm.options} and the variable {@code SAILFISH_JAVA_OPTS} have for all of Sailfish's and
   * Hadoop's processes.
   *
   * @param flags of this process
   */
  public List<String> javaCommand(
      List<String> flags, String classPath, String mainClass, List<String> arguments) {
    return javaCommand(System.getProperty("java.home"), flags, classPath, mainClass, arguments);
  }

  /** The same for a daemon of Hadoop, with its own Java. */
  List<String> hadoopDaemon(List<String> flags, String classPath, String mainClass) {
    return javaCommand(hadoopJavaHome(), flags, classPath, mainClass, List.of());
  }

  private List<String> javaCommand(
      String javaHome,
      List<String> flags,
      String classPath,
      String mainClass,
      List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(javaHome, "bin", "java").toString());
    command.addAll(flags);
    command.addAll(options("jvm.options"));
    String more = System.getenv().getOrDefault(JAVA_OPTIONS, "").strip();
    if (!more.isEmpty()) {
      command.addAll(List.of(more.split("\\s+")));
    }
    command.addAll(List.of("-cp", classPath, mainClass));
    command.addAll(arguments);
    return command;
  }
}
