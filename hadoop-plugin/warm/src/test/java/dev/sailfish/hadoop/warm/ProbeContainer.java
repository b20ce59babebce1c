package dev.sailfish.hadoop.warm;

import dev.sailfish.hadoop.warm.user.ProbeMapper;
import dev.sailfish.testkit.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.mapred.MapTask;

/** The directories, environment and command of a container, as a NodeManager would make them. */
final class ProbeContainer {
  /** Which loader tasks get for their user's classes. */
  enum Classes {
    ISOLATED,
    SHARED,
    /** The one that a job can ask Hadoop for. */
    OF_HADOOP
  }

  private static final long DEADLINE_S = 120;

  /** Hadoop's classes log by it here, users' classes by log4j. */
  private static final String LOGBACK =
      """
      <configuration>
        <appender name="file" class="ch.qos.logback.core.FileAppender">
          <file>FILE</file>
          <encoder><pattern>%level %logger %msg%n</pattern></encoder>
        </appender>
        <root level="INFO"><appender-ref ref="file"/></root>
      </configuration>
      """;

  private final Path root;
  private final Path work;
  private final Path logs;
  private final Path findings;
  private final Path classes;
  private final Classes mode;

  ProbeContainer(Path root, Classes mode) throws IOException {
    this.root = root;
    this.mode = mode;
    work = Files.createDirectories(root.resolve("work"));
    logs = Files.createDirectories(root.resolve("logs"));
    findings = Files.createDirectories(root.resolve("findings"));
    classes = Files.createDirectories(root.resolve("classes"));
    Files.createDirectories(work.resolve("tmp"));
    Files.writeString(work.resolve("given"), "given");
    copyUsersClasses();
    Files.writeString(
        root.resolve("logback.xml"), LOGBACK.replace("FILE", logs.resolve("hadoop").toString()));
  }

  /** Writes the job's files; its tasks do what is asked for, in that order. */
  List<MapTask> tasks(List<String> acts) throws IOException, InterruptedException {
    File localized = root.resolve("localized-job.xml").toFile();
    Files.createSymbolicLink(work.resolve("job.xml"), localized.toPath());
    return ProbeJob.write(this, localized, acts);
  }

  /** Runs the process to its end; returns its exit code. */
  int run(ProbeMaster master) throws IOException, InterruptedException {
    Path tokens = root.resolve("container_tokens");
    ProbeJob.writeTokens(tokens.toFile());
    ProcessBuilder builder = new ProcessBuilder(command(master.port()));
    builder.environment().put("HADOOP_TOKEN_FILE_LOCATION", tokens.toString());
    builder.environment().put("USER", "probe");
    builder
        .environment()
        .put("LOCAL_DIRS", Files.createDirectories(root.resolve("local")).toString());
    builder.environment().put("CONTAINER_ID", "container_1700000000000_0001_01_000002");
    builder.environment().put("PWD", work.toString());
    String users = work + ":" + classes + ":" + work + "/*";
    if (mode == Classes.ISOLATED) {
      builder.environment().put(UserClassPath.VARIABLE, users);
    } else if (mode == Classes.OF_HADOOP) {
      builder.environment().put("APP_CLASSPATH", users);
    }
    Process process =
        builder
            .directory(work.toFile())
            .redirectOutput(logs.resolve("stdout").toFile())
            .redirectError(logs.resolve("stderr").toFile())
            .start();
    if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException("it does not end: " + log("hadoop"));
    }
    return process.exitValue();
  }

  private List<String> command(int port) {
    List<String> flags =
        List.of(
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.net=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.loader=ALL-UNNAMED",
            "-Dsailfish.warm.tasks=" + (mode == Classes.SHARED ? "shared" : "isolated"),
            "-Djava.io.tmpdir=" + work.resolve("tmp"),
            "-Dlogback.configurationFile=" + root.resolve("logback.xml"),
            "-Dlog4j.configuration=container-log4j.properties",
            "-Dyarn.app.container.log.dir=" + logs,
            "-Dyarn.app.container.log.filesize=0",
            "-Dhadoop.root.logger=INFO,CLA",
            "-Dhadoop.root.logfile=syslog");
    List<String> command =
        new ArrayList<>(
            ChildJvm.command(
                SailfishChild.class,
                flags,
                "127.0.0.1",
                Integer.toString(port),
                ProbeJob.attempt(0),
                "2"));
    command.set(command.indexOf("-cp") + 1, classPath());
    return command;
  }

  /** The user's classes are among the tests' of this module. */
  private String classPath() {
    String hadoops =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("test-classes"))
            .collect(Collectors.joining(File.pathSeparator));
    return mode == Classes.SHARED ? hadoops + File.pathSeparator + classes : hadoops;
  }

  private void copyUsersClasses() throws IOException {
    String folder = ProbeMapper.class.getPackageName().replace('.', '/');
    Path to = Files.createDirectories(classes.resolve(folder));
    Path from = Path.of(ProbeMapper.class.getResource("ProbeMapper.class").getPath()).getParent();
    try (Stream<Path> all = Files.list(from)) {
      for (Path one : all.toList()) {
        Files.copy(one, to.resolve(one.getFileName()));
      }
    }
    Files.writeString(
        classes.resolve("probe-site.xml"),
        "<configuration><property><name>probe.default</name><value>set</value></property>"
            + "</configuration>");
  }

  /** What an attempt has found, without what differs from attempt to attempt. */
  String findings(int task) throws IOException {
    return Files.readString(findings.resolve(ProbeJob.attempt(task)));
  }

  File root() {
    return root.toFile();
  }

  File findings() {
    return findings.toFile();
  }

  Classes mode() {
    return mode;
  }

  boolean hookHasRun() {
    return Files.exists(findings.resolve("hook"));
  }

  /** A log file; empty where there is none. */
  String log(String name) throws IOException {
    Path file = logs.resolve(name);
    return Files.exists(file) ? Files.readString(file) : "";
  }
}
