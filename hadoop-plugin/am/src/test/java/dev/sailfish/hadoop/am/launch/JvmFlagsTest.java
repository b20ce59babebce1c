package dev.sailfish.hadoop.am.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JvmFlagsTest {
  private static final String JAVA = "{{JAVA_HOME}}/bin/java";
  private static final String REST = " org.apache.hadoop.mapred.YarnChild 127.0.0.1 1 a 2 1>out";
  private static final String COMPILER = "-XX:TieredStopAtLevel=1";
  private static final String COLLECTOR = "-XX:+UseSerialGC";

  private static String with(String options) {
    return JvmFlags.SHORT.addTo(JAVA + " " + options + REST, Map.of());
  }

  @Test
  void flagsStandBeforeTheOptionsOfTheJob() {
    assertThat(with("-Xmx200m"))
        .isEqualTo(JAVA + " " + COMPILER + " " + COLLECTOR + " -XX:-UsePerfData -Xmx200m" + REST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-XX:TieredStopAtLevel=4",
        "-XX:-TieredCompilation",
        "-XX:Tier4InvocationThreshold=10",
        "-XX:CompileThreshold=10",
        "-XX:CICompilerCount=3",
        "-XX:+UseJVMCICompiler",
        "-XX:ReservedCodeCacheSize=64m",
        "-Xint",
        "-Xcomp",
        "-server"
      })
  void compilerIsLeftToOptionsThatNameIt(String option) {
    assertThat(with("-Xmx200m " + option)).doesNotContain(COMPILER + " ").contains(COLLECTOR);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-XX:+UseParallelGC",
        "-XX:-UseG1GC",
        "-XX:+UseZGC",
        "-XX:ParallelGCThreads=2",
        "-XX:MaxGCPauseMillis=50",
        "-XX:G1HeapRegionSize=4m",
        "-XX:+UseConcMarkSweepGC"
      })
  void collectorIsLeftToOptionsThatNameIt(String option) {
    assertThat(with(option + " -Xmx200m")).doesNotContain(COLLECTOR + " ").contains(COMPILER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-verbose:gc", "-Xlog:gc*:file=gc.log", "-XX:+PrintGCDetails", "-Dgc=G1GC"})
  void whatOnlyTellsOfCollectionsNamesNoCollector(String option) {
    assertThat(with(option)).contains(COMPILER, COLLECTOR);
  }

  @ParameterizedTest
  @ValueSource(strings = {"@options.txt", "-XX:Flags=.hotspotrc", "-XX:VMOptionsFile=options"})
  void nothingIsAddedWhereOptionsAreInFiles(String option) {
    assertThat(with(option)).isEqualTo(JAVA + " " + option + REST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"})
  void variablesCountAsOptions(String variable) {
    String command =
        JvmFlags.SHORT.addTo(
            JAVA + " -Xmx200m" + REST,
            Map.of(variable, "-XX:TieredStopAtLevel=3 '-XX:+UseParallelGC'"));
    assertThat(command).isEqualTo(JAVA + " -XX:-UsePerfData -Xmx200m" + REST);
  }

  @Test
  void pathWithDollarSignStays() {
    assertThat(JvmFlags.SHORT.addTo("$JAVA_HOME/bin/java -Xmx1g" + REST, Map.of()))
        .startsWith("$JAVA_HOME/bin/java " + COMPILER);
  }

  @Test
  void jvmThatTakesThePlaceOfItsShellGetsThemToo() {
    assertThat(JvmFlags.SHORT.addTo("exec $JAVA_HOME/bin/java -Xmx1g" + REST, Map.of()))
        .startsWith("exec $JAVA_HOME/bin/java " + COMPILER);
  }

  @Test
  void jvmsThatManyTasksShareHaveTheSecondCompilerLater() {
    assertThat(JvmFlags.SHARED.addTo(JAVA + " -Xmx200m" + REST, Map.of()))
        .startsWith(JAVA + " -XX:Tier4InvocationThreshold=50000 ")
        .endsWith(" -Xmx200m" + REST);
    String ofTheUser = JAVA + " -XX:TieredStopAtLevel=1 -Xmx200m" + REST;
    assertThat(JvmFlags.SHARED.addTo(ofTheUser, Map.of())).isEqualTo(ofTheUser);
  }

  @Test
  void otherCommandsStay() {
    assertThat(JvmFlags.SHORT.addTo("nice java -Xmx1g" + REST, Map.of()))
        .isEqualTo("nice java -Xmx1g" + REST);
    assertThat(JvmFlags.SHORT.addTo("python3 child.py", Map.of())).isEqualTo("python3 child.py");
  }
}
