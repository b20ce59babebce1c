package dev.sailfish.lineage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Hadoop's shell, as {@code hadoop fs}, in this process. */
@Timeout(60)
class ShellTest {
  private static final String DIRECTORY = SharedStore.uri() + "/shell-test";

  @TempDir private Path local;

  @BeforeEach
  void begin() throws Exception {
    shell("-mkdir", "-p", DIRECTORY + "/d");
    Files.writeString(local.resolve("words"), "one\ntwo\n");
    shell("-put", local.resolve("words").toString(), DIRECTORY + "/d");
  }

  @AfterEach
  void end() throws Exception {
    shell("-rm", "-r", "-skipTrash", DIRECTORY);
  }

  /** What a command prints that succeeds. */
  static String shell(String... command) throws Exception {
    return shell(0, command);
  }

  /** What a command prints, on either stream. */
  static String shell(int expected, String... command) throws Exception {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (PrintStream here = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      System.setOut(here);
      System.setErr(here);
      int code = ToolRunner.run(SharedStore.configuration(), new FsShell(), command);
      String text = printed.toString(StandardCharsets.UTF_8);
      assertThat(code).as("%s: %s", String.join(" ", command), text).isEqualTo(expected);
      return text;
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  @Test
  void putsCatsAndGets() throws Exception {
    assertThat(shell("-cat", DIRECTORY + "/d/words")).endsWith("one\ntwo\n");
    assertThat(shell("-tail", DIRECTORY + "/d/words")).endsWith("one\ntwo\n");
    shell("-get", DIRECTORY + "/d/words", local.resolve("copy").toString());
    assertThat(local.resolve("copy")).hasContent("one\ntwo\n");
    assertThat(shell(1, "-put", local.resolve("words").toString(), DIRECTORY + "/d"))
        .contains("File exists");
    shell("-put", "-f", local.resolve("copy").toString(), DIRECTORY + "/d/words");
    assertThat(shell(1, "-cat", DIRECTORY + "/missing")).contains("No such file or directory");
  }

  @Test
  void listsAndCounts() throws Exception {
    assertThat(shell("-ls", DIRECTORY + "/d"))
        .contains("-rw-r--r--", " 8 ", DIRECTORY + "/d/words");
    assertThat(shell("-ls", "-R", DIRECTORY)).contains("drwxr-xr-x", "/d\n", "/d/words\n");
    assertThat(shell("-ls", DIRECTORY + "/d/w*")).contains("/d/words\n");
    assertThat(shell("-du", "-s", DIRECTORY)).matches("(?s).*8 +8 +\\S+/shell-test\n");
    assertThat(shell("-count", DIRECTORY)).matches("(?s).* 2 +1 +8 \\S+/shell-test\n");
    assertThat(shell("-stat", "%n %b %F %a %o %r", DIRECTORY + "/d/words"))
        .endsWith("words 8 regular file 644 67108864 1\n");
    assertThat(shell("-find", DIRECTORY, "-name", "wor*")).endsWith("/d/words\n");
    shell("-test", "-f", DIRECTORY + "/d/words");
    shell(1, "-test", "-d", DIRECTORY + "/d/words");
  }

  @Test
  void movesCopiesAndRemoves() throws Exception {
    shell("-mv", DIRECTORY + "/d", DIRECTORY + "/e");
    shell("-cp", DIRECTORY + "/e/words", DIRECTORY + "/copy");
    assertThat(shell("-cat", DIRECTORY + "/copy")).endsWith("one\ntwo\n");
    assertThat(shell(1, "-mv", DIRECTORY + "/copy", DIRECTORY + "/e/words"))
        .contains("File exists");
    assertThat(shell(1, "-rm", DIRECTORY + "/e")).contains("Is a directory");
    assertThat(shell(1, "-rmdir", DIRECTORY + "/e")).contains("Directory is not empty");
    shell("-rm", "-r", DIRECTORY + "/e");
    shell(1, "-test", "-e", DIRECTORY + "/e");
  }

  @Test
  void movesToTheTrash() throws Exception {
    shell("-D", "fs.trash.interval=10", "-rm", DIRECTORY + "/d/words");
    shell(1, "-test", "-e", DIRECTORY + "/d/words");
    String user = System.getProperty("user.name");
    String trash = SharedStore.uri() + "/user/" + user + "/.Trash";
    assertThat(shell("-ls", "-R", trash)).contains("/Current/shell-test/d/words\n");
    shell("-rm", "-r", "-skipTrash", trash);
  }

  @Test
  void changesModesAndOwners() throws Exception {
    shell("-chmod", "-R", "g+w", DIRECTORY);
    assertThat(shell("-ls", DIRECTORY + "/d")).contains("-rw-rw-r--");
    shell("-chmod", "1777", DIRECTORY + "/d");
    assertThat(shell("-ls", "-d", DIRECTORY + "/d")).contains("drwxrwxrwt");
    shell("-chown", "alice:staff", DIRECTORY + "/d/words");
    assertThat(shell("-ls", DIRECTORY + "/d")).contains("alice staff");
    shell("-touchz", DIRECTORY + "/empty");
    assertThat(shell("-stat", "%b", DIRECTORY + "/empty")).endsWith("0\n");
    shell("-touch", "-t", "20200102:030405", DIRECTORY + "/empty");
    assertThat(shell("-stat", "%y", DIRECTORY + "/empty")).contains("2020-01-02");
  }

  @Test
  void saysWhatItCannot() throws Exception {
    String append =
        shell(-1, "-appendToFile", local.resolve("words").toString(), DIRECTORY + "/d/words");
    assertThat(append).contains("never change");
  }
}
