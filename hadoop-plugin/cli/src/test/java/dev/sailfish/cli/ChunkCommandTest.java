package dev.sailfish.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.cli.inspect.ChunkBytes;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChunkCommandTest {
  private static final int GOOD = 0;
  private static final int DAMAGED = 1;
  private static final int UNREADABLE = 2;

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return Sailfish.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private String file(byte[] bytes) throws IOException {
    return Files.write(directory.resolve("chunk"), bytes).toString();
  }

  private static ChunkBytes chunk(Ordering ordering) {
    return new ChunkBytes(ordering, CodecId.LZ4)
        .append(CodecId.LZ4, 5, 0, 40, 31)
        .append(CodecId.LZ4, 2, 1, 1, 20);
  }

  @Test
  void verifyPrintsOneLineAndSaysItInTheExitCode() throws IOException {
    assertThat(run("chunk", "verify", file(chunk(Ordering.NORMALIZED).sorted()))).isEqualTo(GOOD);
    assertThat(out.toString()).startsWith("good: ").hasLineCount(1);
    byte[] bad = chunk(Ordering.NORMALIZED).sorted();
    bad[200] ^= 1;
    out.getBuffer().setLength(0);
    assertThat(run("chunk", "verify", file(bad))).isEqualTo(DAMAGED);
    assertThat(out.toString())
        .hasLineCount(1)
        .startsWith("damaged: ")
        .contains("corrupt: job=job_1_0007 partition=3 chunk=abcd block=0 offset=128");
  }

  @Test
  void anUnreadableFileAndWrongArgumentsAreNoVerdict() {
    String missing = directory.resolve("none").toString();
    assertThat(run("chunk", "verify", missing)).isEqualTo(UNREADABLE);
    assertThat(err.toString()).contains(missing).contains("no such file");
    assertThat(run("chunk", "verify", directory.toString())).isEqualTo(UNREADABLE);
    assertThat(run("chunk", "dump", missing)).isEqualTo(UNREADABLE);
    assertThat(run("chunk", "verify")).isEqualTo(UNREADABLE);
    assertThat(run("chunk")).isEqualTo(UNREADABLE);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void dumpShowsTheBlocksOfAnOpenChunk() throws IOException {
    byte[] bytes = ChunkBytes.longer(chunk(Ordering.NORMALIZED).appendVoid(9).appended(), 30, 0);
    assertThat(run("chunk", "dump", "--records", "1", file(bytes))).isEqualTo(GOOD);
    assertThat(out.toString())
        .contains("job        job_1_0007")
        .contains("state      OPEN or STABLE")
        .containsPattern("128 lz4 +5 +1 +0 +10 +\\d+ +\\d+ +ok")
        .contains("key 00040\tvalue\\t40")
        .contains("void block")
        .contains("trailingBytes=30 (zeros")
        .doesNotContain("key 00039");
  }

  @Test
  void dumpShowsSourcesAndIndexOfASortedChunk() throws IOException {
    assertThat(run("chunk", "dump", "--records", "2", file(chunk(Ordering.NORMALIZED).sorted())))
        .isEqualTo(GOOD);
    assertThat(out.toString())
        .contains("state      SORTED")
        .contains("[0] key 00001\tvalue\\t1")
        .containsPattern("(?m)^ +1 +5 +1 +0 +10 +\\d+$")
        .containsPattern("(?m)^ +0 +0 +128 +30 .* key 00001$")
        .contains("runs=1 sources=2 entries=1 records=30");
  }

  @Test
  void dumpShowsTheBlocksOfARunInItsIndex() throws IOException {
    byte[] bytes =
        new ChunkBytes(Ordering.COMPARATOR, CodecId.LZ4)
            .appendRun(CodecId.LZ4, 5, 0, 5000, 1, 2500)
            .append(CodecId.LZ4, 7, 0, 20, 1)
            .sorted();
    assertThat(run("chunk", "dump", "--records", "2501", file(bytes))).isEqualTo(GOOD);
    assertThat(out.toString())
        .containsPattern("128 run +5 +1 +0 +5000 +\\d+ +\\d+ +ok")
        .contains("key 02500\tvalue\\t2500")
        .doesNotContain("key 02499\t")
        .containsPattern("(?m)^ +0 +0 +\\d+ +2500 .* key 05000$")
        .containsPattern("(?m)^ +1 +0 +\\d+ +2500 .* key 02500$")
        .containsPattern("(?m)^ +2 +1 +\\d+ +20 +\\d+ +\\d+ +$")
        .contains("runs=2 sources=2 entries=3");
  }

  @Test
  void dumpGoesOnBehindADamagedBlock() throws IOException {
    byte[] bytes = chunk(Ordering.COMPARATOR).sorted();
    bytes[200] ^= 1;
    assertThat(run("chunk", "dump", file(bytes))).isEqualTo(DAMAGED);
    assertThat(out.toString())
        .containsPattern("128 lz4 .* corrupt: block is damaged")
        .containsPattern("lz4 +2 +1 +1 +20 .* ok")
        .contains("runs=2");
  }
}
