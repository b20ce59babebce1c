package dev.sailfish.benchmarks.jobs.workload;

import dev.sailfish.localcluster.CommandException;
import dev.sailfish.localcluster.Distribution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The jars that the build laid out for benchmarks and the demo.
 *
 * @param directory that holds them, absolute
 */
public record JobJars(Path directory) {
  /** Those of a distribution. */
  public static JobJars of(Distribution distribution) {
    return new JobJars(distribution.root().resolve("benchmarks/jobs/target/dist"));
  }

  /** The jobs of package {@code mapreduce}. */
  public Path own() {
    return directory.resolve("lib/sailfish-job-benchmarks.jar");
  }

  /** Hadoop's examples: WordCount, TeraSort and others. */
  public Path examples() {
    return directory.resolve("examples/hadoop-mapreduce-examples.jar");
  }

  /** Jars of source code, which are text to count and sort; in the order of their names. */
  public List<Path> corpus() {
    try (Stream<Path> files = Files.list(directory.resolve("corpus"))) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    } catch (IOException e) {
      throw new CommandException("Cannot list " + e.getMessage() + ": build the project again.", e);
    }
  }
}
