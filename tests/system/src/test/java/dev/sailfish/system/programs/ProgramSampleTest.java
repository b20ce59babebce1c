package dev.sailfish.system.programs;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One program of each kind, each in another mode; all of them are long tests. */
class ProgramSampleTest {
  @TempDir private static Path temporary;
  private static Comparison comparison;

  @BeforeAll
  static void start() throws Exception {
    comparison = Comparison.start(temporary, Inputs::write, Tables::write);
  }

  @AfterAll
  static void stop() throws Exception {
    Comparison.stop(comparison);
  }

  @Test
  void shouldRunHadoopStreaming() throws Exception {
    Program program = Program.of(Program.directory("hadoop/streaming-key-fields.sh"), ".sh");
    comparison.compare(program, Mode.PLUGIN, Commands.shell());
  }

  @Test
  void shouldRunPig() throws Exception {
    Program program = Program.of(Program.directory("pig/multi-query.pig"), ".pig");
    comparison.compare(program, Mode.AUTO, Commands.pig());
  }

  @Test
  void shouldRunHivesCommandLine() throws Exception {
    Program program = Program.of(Program.directory("hive-command.sql"), ".sql");
    comparison.compare(program, Mode.FIXED, Commands.hive());
  }
}
