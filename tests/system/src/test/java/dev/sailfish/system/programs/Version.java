package dev.sailfish.system.programs;

import dev.sailfish.system.SailfishCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A Hadoop and the Javas that it runs on.
 *
 * @param hadoop its version; the build's has its jars elsewhere than the others
 * @param daemonJava version of the Java of its daemons
 * @param taskJava version of the Java of Sailfish's daemons, of clients, of ApplicationMaster and
 *     tasks
 */
record Version(String hadoop, int daemonJava, int taskJava) {
  /** What the build brings, on the Java that runs the tests. */
  static final Version OWN =
      new Version("3.5.0", Runtime.version().feature(), Runtime.version().feature());

  private static final String JAVAS = System.getProperty("sailfish.javas", "");
  private static final String OPENS = " --add-opens=java.base/java.lang=ALL-UNNAMED";

  /** The directory with {@code lib} below it. */
  Path hadoopHome() {
    Path root = SailfishCommand.projectRoot();
    return hadoop.equals(OWN.hadoop)
        ? root.resolve("hadoop-plugin/cli/target/dist/hadoop")
        : root.resolve("tests/runtimes/hadoop-" + hadoop.substring(0, 3)).resolve("target");
  }

  /** Why it cannot run here; null when it can. */
  String missing() {
    for (int java : List.of(daemonJava, taskJava)) {
      if (!Files.isExecutable(javaHome(java).resolve("bin/java"))) {
        return "no Java "
            + java
            + ": -Dsailfish.javas=DIR names a directory with "
            + java
            + "/bin/java";
      }
    }
    return Files.isDirectory(hadoopHome().resolve("lib"))
        ? null
        : "no jars of Hadoop " + hadoop + ": they are built with -Plong";
  }

  private static Path javaHome(int java) {
    return java == OWN.taskJava
        ? Path.of(System.getProperty("java.home"))
        : Path.of(JAVAS).resolve(Integer.toString(java));
  }

  /** {@code JAVA_HOME} of whatever is started. */
  Path javaHome() {
    return javaHome(taskJava);
  }

  /** Environment of {@code bin/sailfish}. */
  Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("JAVA_HOME", javaHome().toString());
    environment.put("SAILFISH_HADOOP_JAVA_HOME", javaHome(daemonJava).toString());
    environment.put("SAILFISH_HADOOP_LIB", hadoopHome().resolve("lib").toString());
    return environment;
  }

  /**
   * Hadoop Streaming for it.
   *
   * @param own that of the build's own Hadoop, for those that can use it
   */
  String streaming(String own) throws IOException {
    try (Stream<Path> jars = Files.list(hadoopHome().resolve("lib"))) {
      return jars.filter(jar -> jar.getFileName().toString().startsWith("hadoop-streaming"))
          .map(Path::toString)
          .findAny()
          .orElse(own);
    }
  }

  /** What an operator sets on a cluster of this kind, beside Sailfish's keys. */
  Map<String, String> keys() {
    Map<String, String> keys = new HashMap<>();
    if (daemonJava != taskJava) {
      for (String who : List.of("yarn.app.mapreduce.am", "mapreduce.map", "mapreduce.reduce")) {
        keys.put(who + ".env", "JAVA_HOME=" + javaHome());
      }
    }
    return keys;
  }

  /**
   * Keys with JVM flags as this Hadoop wants them.
   *
   * @param flags keys and values that do for the build's own
   */
  Map<String, String> flags(Map<String, String> flags) {
    Map<String, String> mine = new HashMap<>(flags);
    // The NodeManager adds them by itself when its own Java wants them, and knows how.
    if (isBeforeAddOpens() || daemonJava < taskJava) {
      mine.replaceAll((key, value) -> value.contains("-Xmx") ? value + OPENS : value);
    }
    if (isBeforeAddOpens()) {
      // Its client does not know this word, and the shell would take it for a file.
      mine.replaceAll((key, value) -> value.replace("<ADD_OPENS> ", ""));
    }
    return mine;
  }

  private boolean isBeforeAddOpens() {
    return hadoop.startsWith("3.3.");
  }

  @Override
  public String toString() {
    List<String> parts = new ArrayList<>(List.of("Hadoop " + hadoop, "Java " + taskJava));
    if (daemonJava != taskJava) {
      parts.add("its daemons on Java " + daemonJava);
    }
    return String.join(", ", parts);
  }
}
