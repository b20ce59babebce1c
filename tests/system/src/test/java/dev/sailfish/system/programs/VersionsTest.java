package dev.sailfish.system.programs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** About ten programs on other versions of Hadoop and Java, with one and the same client jar. */
@Tag("long")
@ParameterizedClass
@MethodSource("versions")
class VersionsTest {
  private static final List<String> SHELL =
      List.of(
          "wordcount",
          "secondarysort",
          "avro",
          "streaming-awk",
          "streaming-key-fields",
          "chained-mappers",
          "multiple-inputs-outputs");
  private static final List<String> PIG = List.of("cogroup", "nested-order-limit", "multi-query");

  /** Those that are supported, beside the one of all other tests. */
  static final List<Version> ALL =
      List.of(
          new Version("3.5.0", 21, 21),
          new Version("3.5.0", 25, 25),
          new Version("3.4.3", 17, 17),
          new Version("3.4.3", 11, 17),
          new Version("3.4.3", 25, 25),
          new Version("3.3.6", 11, 17),
          new Version("3.3.6", 17, 17));

  private final Version version;
  @TempDir private Path temporary;
  private Comparison comparison;

  VersionsTest(Version version) {
    this.version = version;
  }

  static List<Version> versions() {
    return Comparison.inTurns(ALL);
  }

  @AfterEach
  void stop() throws Exception {
    Comparison.stop(comparison);
  }

  @TestFactory
  Stream<DynamicTest> shouldGiveWhatStockGives() throws Exception {
    assumeTrue(version.missing() == null, version.missing());
    assumeTrue(Comparison.timeIsOver() == null, Comparison.timeIsOver());
    comparison = Comparison.start(temporary, version, Inputs::write, Tables::write);
    Commands.shell(comparison.node(Mode.STOCK), Program.directory("hadoop-inputs.sh"), Map.of());
    List<Program> shell = programs(version, "hadoop", ".sh", SHELL);
    List<Program> pig = programs(version, "pig", ".pig", PIG);
    return Stream.concat(
        comparison.tests(shell, Commands.shell()), comparison.tests(pig, Commands.pig()));
  }

  /** All that run with a version. */
  static List<Program> programs(Version version) {
    return Stream.concat(
            programs(version, "hadoop", ".sh", SHELL).stream(),
            programs(version, "pig", ".pig", PIG).stream())
        .toList();
  }

  private static List<Program> programs(
      Version version, String kind, String ending, List<String> names) {
    return names.stream()
        .map(name -> Program.of(Program.directory(kind).resolve(name + ending), ending))
        .map(program -> program.on(version.toString()))
        .toList();
  }
}
