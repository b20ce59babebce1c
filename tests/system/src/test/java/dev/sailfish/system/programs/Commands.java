package dev.sailfish.system.programs;

import dev.sailfish.system.SailfishCommand;
import dev.sailfish.system.programs.Comparison.Runner;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.avro.mapreduce.AvroJob;
import org.apache.hadoop.streaming.HadoopStreaming;
import org.apache.hadoop.tools.DistCp;

/** How scripts of each kind are started, as on a command line. */
final class Commands {
  private static final Path SHELL_SCRIPTS = Program.directory("hadoop");

  private Commands() {}

  /**
   * Variables that scripts know, and where the commands find their jars.
   *
   * @param in the directory of what programs read
   */
  static Map<String, String> environment(Path in) throws IOException, URISyntaxException {
    Path root = SailfishCommand.projectRoot();
    Map<String, String> environment = new HashMap<>();
    environment.put("IN", in.toString());
    environment.put("EXAMPLES", new SailfishCommand(in).examples().toString());
    environment.put("STREAMING", jarOf(HadoopStreaming.class));
    environment.put("AVRO", jarOf(AvroJob.class));
    environment.put("JOBS", SailfishCommand.jarOf("tests/jobs", "sailfish-test-jobs").toString());
    environment.put("HADOOP_CLASSPATH", jarOf(DistCp.class));
    environment.put(
        "OLD_LIBRARIES", root.resolve("tests/runtimes/libraries/target/lib").toString());
    Path pig = root.resolve("tests/runtimes/pig/target");
    environment.put("PIG_HOME", pig.toString());
    // Pig adds its own garbage collector to flags of tasks that name another among others, and its
    // ORDER needs in tasks what Hadoop's class path has no more.
    environment.put(
        "PIG_OPTS",
        "-Dpig.gc.default.params=-XX:+UseSerialGC -Dpig.additional.jars="
            + pig.resolve("lib/commons-collections-3.2.2.jar"));
    return environment;
  }

  private static String jarOf(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  /** A script of the shell, which finds in OUT where to write. */
  static Runner shell() {
    return (program, node, out) -> shell(node, program.file(), Map.of("OUT", out.toString()));
  }

  /**
   * Runs a script of the shell, which must succeed, in a directory of its own with the files that
   * scripts name: local jobs leave files there, and take those of others for theirs.
   */
  static void shell(EdgeNode node, Path script, Map<String, String> more) throws Exception {
    Path work = Files.createTempDirectory(node.directory(), "work");
    try (Stream<Path> files = Files.list(SHELL_SCRIPTS)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, work.resolve(file.getFileName()));
      }
    }
    node.run(work, more, List.of("bash", "-eu", "-o", "pipefail", script.toString()));
  }

  /** A script of Pig, with parameters IN and OUT. */
  static Runner pig() {
    return (program, node, out) ->
        node.run(
            node.directory(),
            Map.of("OUT", out.toString()),
            List.of("bash", "-c", "pig -param IN=$IN -param OUT=$OUT -f " + program.file()));
  }

  /** What writes to the cluster's file system, from where it is fetched. */
  static Runner fetching(Runner runner) {
    return (program, node, out) -> {
      Path remote = Path.of("/").resolve(out.getFileName());
      runner.run(program, node, remote);
      node.run(out, Map.of(), List.of("hadoop", "fs", "-get", remote + "/*", "."));
    };
  }

  /** A script of Hive's command line, with a metastore of its own; IN is a variable. */
  static Runner hive() {
    return (program, node, out) -> {
      Path home = Files.createTempDirectory(node.directory(), "hive");
      Path printed = out.resolve("printed");
      String command = "hive -S --hivevar IN=$IN -f " + program.file() + " > " + printed;
      node.run(home, HiveServer.configure(home, Map.of()), List.of("bash", "-eu", "-c", command));
    };
  }
}
