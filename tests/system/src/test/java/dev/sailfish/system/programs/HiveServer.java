package dev.sailfish.system.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sailfish.localcluster.SiteFile;
import dev.sailfish.system.SailfishCommand;
import dev.sailfish.testkit.FreePort;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** HiveServer2 on a node, with a metastore and a warehouse of its own, asked over JDBC. */
final class HiveServer {
  private static final Duration START = Duration.ofMinutes(3);
  private static final String COLLECTIONS = "lib/commons-collections-3.2.2.jar";
  private static final int QUERY_SECONDS = 900;

  private final Process process;
  private final Path log;
  private final String url;
  private final URLClassLoader loader;
  private final Driver driver;

  private HiveServer(Process process, Path log, String url) throws Exception {
    this.process = process;
    this.log = log;
    this.url = url;
    loader = new URLClassLoader(jars(), ClassLoader.getPlatformClassLoader());
    driver =
        (Driver) loader.loadClass("org.apache.hive.jdbc.HiveDriver").getConstructor().newInstance();
  }

  /** Where Hive's jars are: {@code lib} below it. */
  static Path home() {
    return SailfishCommand.projectRoot().resolve("tests/runtimes/hive/target");
  }

  private static URL[] jars() throws IOException {
    Path hadoop = SailfishCommand.projectRoot().resolve("hadoop-plugin/cli/target/dist/hadoop/lib");
    List<URL> urls = new ArrayList<>();
    for (Path lib : List.of(hadoop, home().resolve("lib"))) {
      try (Stream<Path> files = Files.list(lib)) {
        for (Path jar : (Iterable<Path>) files::iterator) {
          urls.add(jar.toUri().toURL());
        }
      }
    }
    return urls.toArray(new URL[0]);
  }

  /**
   * Writes Hive's configuration for a node and returns the environment of its commands.
   *
   * @param directory gets the configuration, the metastore and the warehouse
   */
  static Map<String, String> configure(Path directory, Map<String, String> more)
      throws IOException {
    Path conf = Files.createDirectories(directory.resolve("conf"));
    Map<String, String> keys = new HashMap<>(more);
    keys.put("hive.execution.engine", "mr");
    keys.put(
        "javax.jdo.option.ConnectionURL",
        "jdbc:derby:;databaseName=" + directory.resolve("metastore") + ";create=true");
    keys.put("datanucleus.schema.autoCreateAll", "true");
    keys.put("hive.metastore.schema.verification", "false");
    keys.put("hive.metastore.warehouse.dir", directory.resolve("warehouse").toString());
    keys.put("hive.exec.scratchdir", directory.resolve("scratch").toString());
    keys.put("hive.exec.local.scratchdir", directory.resolve("local").toString());
    keys.put("hive.downloaded.resources.dir", directory.resolve("resources").toString());
    keys.put("hive.server2.logging.operation.enabled", "false");
    keys.put("hive.server2.enable.doAs", "false");
    keys.put("hive.server2.webui.port", "-1");
    // What Hive's tasks need and Hadoop's class path has no more, with stock too.
    keys.put("hive.aux.jars.path", home().resolve(COLLECTIONS).toUri().toString());
    // What Hive needs of a task's JVM since Java 17, with stock too.
    String opens =
        Stream.of(
                "lang",
                "net",
                "nio",
                "time",
                "util",
                "util.concurrent",
                "util.concurrent.atomic",
                "util.regex")
            .map(name -> " --add-opens=java.base/java." + name + "=ALL-UNNAMED")
            .collect(Collectors.joining());
    for (String task : List.of("map", "reduce")) {
      keys.put(
          "mapreduce." + task + ".java.opts",
          "-Xmx1500m -XX:+UseSerialGC -XX:TieredStopAtLevel=1" + opens);
    }
    keys.put("hive.exec.submit.local.task.via.child", "false");
    keys.put("hive.notification.event.poll.interval", "0");
    SiteFile.write(conf.resolve("hive-site.xml"), Optional.empty(), keys);
    Files.writeString(
        conf.resolve("hive-log4j2.properties"),
        """
        rootLogger.level = INFO
        rootLogger.appenderRef.console.ref = console
        appender.console.type = Console
        appender.console.name = console
        appender.console.target = SYSTEM_ERR
        appender.console.layout.type = PatternLayout
        appender.console.layout.pattern = %d %p %c: %m%n
        """);
    return Map.of("HIVE_HOME", home().toString(), "HIVE_CONF_DIR", conf.toString());
  }

  /**
   * Starts one and waits until it answers.
   *
   * @param directory of its own
   */
  static HiveServer start(EdgeNode node, Path directory) throws Exception {
    int port = FreePort.next();
    Map<String, String> environment =
        configure(
            Files.createDirectories(directory),
            Map.of(
                "hive.server2.thrift.port",
                Integer.toString(port),
                "hive.server2.thrift.bind.host",
                "127.0.0.1"));
    Path log = directory.resolve("server.log");
    Process process =
        node.start(directory, environment, log, List.of("hive", "--service", "hiveserver2"));
    HiveServer server = new HiveServer(process, log, "jdbc:hive2://127.0.0.1:" + port + "/default");
    await()
        .atMost(START)
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> server.answers() || !process.isAlive());
    assertThat(process.isAlive()).as("HiveServer2 runs:%n%s", EdgeNode.end(log)).isTrue();
    return server;
  }

  private boolean answers() {
    try {
      connect().close();
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private Connection connect() throws SQLException {
    return driver.connect(url, new Properties());
  }

  /**
   * Runs statements in a session of their own.
   *
   * @param script statements, each with a semicolon at the end of a line behind it
   * @return what each of them that has results gave, as lines of tab-separated values
   */
  List<String> run(String script) throws Exception {
    List<String> results = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(QUERY_SECONDS);
      for (String one : script.replaceAll("(?m)^--.*$", "").split(";\\s*\n")) {
        if (!one.isBlank() && statement.execute(one.strip())) {
          results.add(rows(statement.getResultSet()));
        }
      }
      return results;
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage() + "\n" + EdgeNode.end(log), e);
    }
  }

  private static String rows(ResultSet results) throws SQLException {
    int columns = results.getMetaData().getColumnCount();
    StringBuilder rows = new StringBuilder();
    while (results.next()) {
      for (int column = 1; column <= columns; column++) {
        rows.append(results.getString(column)).append(column < columns ? '\t' : '\n');
      }
    }
    return rows.toString();
  }

  /** Stops it. */
  void stop() throws Exception {
    process.destroy();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
    loader.close();
  }
}
