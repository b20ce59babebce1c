package dev.sailfish.hadoop.warm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConstantClassTest {
  private final Map<String, String> differences = new TreeMap<>();

  @TempDir private Path directory;

  /** What is said of each class of a source that compilers make classes of. */
  private Map<String, String> differences(String members) throws IOException {
    Path source = directory.resolve("A.java");
    Files.writeString(source, "class A {\n" + members + "\n}\n");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    List<String> options = List.of("-d", directory.toString(), "-proc:none");
    boolean compiled =
        compiler
            .getTask(
                said,
                null,
                null,
                options,
                null,
                compiler.getStandardFileManager(null, null, null).getJavaFileObjects(source))
            .call();
    assertThat(compiled).as(said.toString()).isTrue();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
        ClassFile read = ClassFile.of(Files.readAllBytes(file));
        differences.put(read.name(), ConstantClass.difference(read));
      }
    }
    return differences;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "int count; Object any = new Object(); String[] names = {\"a\"};",
        "static final int LIMIT = 7; static final long MASK = -1L; static final String A = \"a\";",
        "static final long BYTES = Math.abs(-7L) << 20; static final double HALF = Math.sqrt(.2);",
        "static final String BOTH = new StringBuilder().append(1).append(\"b\").toString();",
        "void check(int n) { assert n > 0 : \"n\"; }",
        "Runnable later() { return () -> later(); } String join(int n) { return \"n\" + n; }",
        "record Pair(int left, String right) {}",
        "enum Check { RECORDS, BYTES }",
        "enum Unit { KB(1, \"k\"), MB(1024, \"m\"); final long kb; final String name;"
            + " Unit(long kb, String name) { this.kb = kb; this.name = name; } }",
        "int of(java.util.concurrent.TimeUnit unit) { switch (unit) { case DAYS: return 1;"
            + " case HOURS: return 2; default: return 3; } }",
        "static final org.slf4j.Logger LOG = org.slf4j.LoggerFactory.getLogger(A.class);",
        "static final java.util.regex.Pattern SPACE = java.util.regex.Pattern.compile(\" +\");",
        "static final java.nio.charset.Charset UTF = java.nio.charset.StandardCharsets.UTF_8;",
        "static final Integer ONE = one(); private static Integer one() { return 1; }"
      })
  void shouldBeConstantWhenItIsMadeOfConstants(String members) throws IOException {
    assertThat(differences(members).values()).isNotEmpty().containsOnlyNulls();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "static int count; = has the field count",
        "static volatile Object last; = has the field last",
        "static final int[] SUMS = {1, 2}; = has the field SUMS",
        "static final Object LOCK = new Object(); = has the field LOCK",
        "static final java.util.List<String> NAMES = java.util.List.of(); = has the field NAMES",
        "static final StringBuilder ALL = new StringBuilder(); = has the field ALL",
        "static final long BEGAN = System.nanoTime(); = calls java.lang.System.nanoTime",
        "static final double ANY = Math.ran" + "dom(); = calls java.lang.Math.random",
        "static final String HOME = System.getenv(\"HOME\"); = calls java.lang.System.getenv",
        "static { System.out.println(\"here\"); } = uses java.lang.System.out",
        "static { new Thread().start(); } = makes a java.lang.Thread",
        "static final Integer ONE = one(); static Integer one() { new A(); return 1; }"
            + " = makes a A",
        "static final String NAME = java.util.UUID.randomUUID().toString();"
            + " = calls java.util.UUID.randomUUID",
        "static final String ALL = \"a\" + Long.getLong(\"b\"); = calls java.lang.Long.getLong",
        "static final Integer SIZE = ((java.util.function.Supplier<Integer>) () -> 1).get();"
            + " = does more than make constants",
        "static { synchronized (A.class) { assert true; } } = does more than make constants"
      })
  void shouldDifferWhereAnInitializerCouldTell(String described) throws IOException {
    int end = described.lastIndexOf(" = ");
    String why = described.substring(end + " = ".length());
    assertThat(differences(described.substring(0, end)).get("A")).startsWith(why);
  }

  @Test
  void constantsOfEnumsThatCountShouldDiffer() throws IOException {
    differences(
        "enum Counted { ONE; int times; } enum Kept { ONE; final int[] times = {0}; }"
            + " enum Bodied { ONE { @Override int times() { return 1; } };"
            + " int times() { return 0; } }");
    assertThat(differences).containsEntry("A", null);
    assertThat(differences).containsEntry("A$Counted", "has the field times");
    assertThat(differences).containsEntry("A$Kept", "has the field times");
    assertThat(differences.get("A$Bodied")).startsWith("makes a A$Bodied$1");
  }

  @Test
  void hadoopsOwnClassesAreRead() throws IOException {
    assertThat(of(Text.class)).startsWith("has the field ");
    assertThat(of(TaskCounter.class)).isNull();
  }

  @Test
  void whatIsNoClassIsRefused() {
    assertThatThrownBy(() -> ClassFile.of("import java.util".getBytes()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a class file");
  }

  private static String of(Class<?> type) throws IOException {
    String file = type.getName().replace('.', '/') + ".class";
    return ConstantClass.difference(
        ClassFile.of(type.getClassLoader().getResourceAsStream(file).readAllBytes()));
  }
}
