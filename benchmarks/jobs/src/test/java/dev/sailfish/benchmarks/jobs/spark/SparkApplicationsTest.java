package dev.sailfish.benchmarks.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.localcluster.CommandException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spark itself is a shell script here, as far as commands and what they print go. */
class SparkApplicationsTest {
  @TempDir private Path directory;

  private SparkApplications spark(String script) throws Exception {
    Path submit = directory.resolve("spark/bin/spark-submit");
    Files.createDirectories(submit.getParent());
    Files.writeString(submit, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(submit, PosixFilePermissions.fromString("rwx------"));
    return new SparkApplications(
        directory.resolve("spark"),
        directory.resolve("work"),
        directory.resolve("conf"),
        List.of(Path.of("a.jar"), Path.of("b.jar")));
  }

  @Test
  void readsTheLastLineThatIsJson() throws Exception {
    SparkApplications spark =
        spark("echo '{\"seconds\": 1}'; echo '{\"seconds\": 2}'; echo 'stopped'");
    assertThat(spark.run(List.of("count")).path("seconds").asInt()).isEqualTo(2);
  }

  @Test
  void givesTheScriptItsJarsKeysAndArguments() throws Exception {
    SparkApplications spark = spark("echo \"{\\\"said\\\": \\\"$* in $HADOOP_CONF_DIR\\\"}\"");
    spark.set("spark.driver.memory", "1g");
    spark.set("spark.memory.offHeap.size", "1g");
    spark.set("spark.memory.offHeap.size", null);
    assertThat(spark.run(List.of("count", "file:///x")).path("said").asText())
        .contains("--jars a.jar,b.jar", "--conf spark.driver.memory=1g")
        .doesNotContain("offHeap")
        .endsWith("jobs.py count file:///x in " + directory.resolve("conf"));
    assertThat(directory.resolve("work/jobs.py")).isNotEmptyFile();
  }

  @Test
  void saysWhatSparkPrintedWhenItFails() throws Exception {
    SparkApplications spark = spark("echo 'no such table'; exit 1");
    assertThatThrownBy(() -> spark.run(List.of("count")))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("Spark failed with count")
        .hasMessageContaining("no such table");
  }

  @Test
  void saysWhatToDoWithoutSpark() {
    assertThatThrownBy(
            () ->
                new SparkApplications(
                    directory.resolve("none"), directory, directory.resolve("conf"), List.of()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("no bin/spark-submit in " + directory.resolve("none"))
        .hasMessageContaining("--spark");
  }
}
