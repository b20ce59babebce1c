package dev.sailfish.system.programs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Hive queries on the MapReduce engine give with Sailfish what they give with stock. */
@Tag("long")
class HiveQueriesTest {
  private static final String AUTO = "hive/(group-by|order-by-sampling|insert-bucketed|tpch-03)";

  @TempDir private static Path temporary;
  private static Comparison comparison;
  private static final Map<Mode, HiveServer> SERVERS = new EnumMap<>(Mode.class);

  @BeforeAll
  static void start() throws Exception {
    comparison =
        Comparison.start(temporary, Tables::write, in -> TpchTables.write(in.resolve("tpch")));
  }

  /** One for each mode, when it is wanted: with tables that its own jobs have filled. */
  private static HiveServer server(EdgeNode node) throws Exception {
    Mode mode = node.mode();
    if (!SERVERS.containsKey(mode)) {
      SERVERS.put(mode, HiveServer.start(node, temporary.resolve("hive-" + mode)));
      String tables = Files.readString(Program.directory("hive-tables.sql"));
      SERVERS.get(mode).run(tables.replace("{IN}", temporary.resolve("in").toString()));
    }
    return SERVERS.get(mode);
  }

  @AfterAll
  static void stop() throws Exception {
    for (HiveServer server : SERVERS.values()) {
      server.stop();
    }
    Comparison.stop(comparison);
  }

  /** In auto, which is refused to all of Hive's jobs for one reason, some. */
  @TestFactory
  Stream<DynamicTest> shouldGiveWhatStockGives() {
    List<Program> all = Program.all("hive", ".sql");
    List<Program> some = all.stream().filter(program -> program.name().matches(AUTO)).toList();
    return Stream.concat(
        comparison.tests(some, List.of(Mode.AUTO), HiveQueriesTest::run),
        comparison.tests(all, List.of(Mode.PLUGIN, Mode.FIXED), HiveQueriesTest::run));
  }

  private static void run(Program program, EdgeNode node, Path out) throws Exception {
    List<String> results = server(node).run(Files.readString(program.file()));
    for (int i = 0; i < results.size(); i++) {
      Files.writeString(out.resolve("result" + i), results.get(i));
    }
  }
}
