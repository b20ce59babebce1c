package dev.sailfish.hadoop.am.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The flags of a task's JVM. They stand in front of the user's options, of which the last one
 * counts, and say nothing of what those are about.
 */
enum JvmFlags {
  /** Of a JVM that ends before it is fast. The last one: no file that is mapped for {@code jps}. */
  SHORT(
      List.of("-XX:TieredStopAtLevel=1"), List.of("-XX:+UseSerialGC"), List.of("-XX:-UsePerfData")),

  /**
   * Of a JVM that many tasks share: what each of them does once is too rare for the second
   * compiler, whose thresholds are ten times Java's.
   */
  SHARED(
      List.of(
          "-XX:Tier4InvocationThreshold=50000",
          "-XX:Tier4MinInvocationThreshold=6000",
          "-XX:Tier4CompileThreshold=150000"),
      List.of(),
      List.of());

  private static final Pattern JAVA = Pattern.compile("^\\s*(exec\\s+)?\\S*/bin/java(?=\\s)");

  /** What decides how code is compiled. */
  private static final Pattern OF_COMPILERS =
      Pattern.compile(
          "-Xint|-Xcomp|-Xmixed|-client|-server"
              + "|-XX:[+-]?\\S*(Tier|Compil|JVMCI|CodeCache|Inline|OnStackReplacement)\\S*");

  private static final Pattern OF_COLLECTORS =
      Pattern.compile(
          "-Xconc\\S*|-Xincgc|-XX:[+-]?+(?!Print|Log)\\S*(GC|G1|CMS|ConcMark|Shenandoah|ZGen|ZColl)\\S*");

  /** Options that are somewhere else. */
  private static final Pattern HIDDEN =
      Pattern.compile("@\\S+|-XX:Flags=\\S*|-XX:VMOptionsFile=\\S*|-XX:\\+UseAppCDS");

  /** Variables in which Java looks for options. */
  private static final List<String> VARIABLES =
      List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  private final List<String> ofCompilers;
  private final List<String> ofCollectors;
  private final List<String> others;

  JvmFlags(List<String> ofCompilers, List<String> ofCollectors, List<String> others) {
    this.ofCompilers = ofCompilers;
    this.ofCollectors = ofCollectors;
    this.others = others;
  }

  /**
   * Puts the flags into a command.
   *
   * @param command of a container: a path that ends in {@code /bin/java}, perhaps with {@code exec}
   *     in front of it, options, a main class
   * @param environment of the container
   * @return the same command where it is another one, or where the user's options say all
   */
  String addTo(String command, Map<String, String> environment) {
    String options = options(command, environment);
    if (!JAVA.matcher(command).find() || names(HIDDEN, options)) {
      return command;
    }
    List<String> flags = new ArrayList<>();
    if (!names(OF_COMPILERS, options)) {
      flags.addAll(ofCompilers);
    }
    if (!names(OF_COLLECTORS, options)) {
      flags.addAll(ofCollectors);
    }
    flags.addAll(others);
    if (flags.isEmpty()) {
      return command;
    }
    return JAVA.matcher(command)
        .replaceFirst(
            found -> Matcher.quoteReplacement(found.group() + " " + String.join(" ", flags)));
  }

  private static String options(String command, Map<String, String> environment) {
    StringBuilder all = new StringBuilder(command);
    for (String variable : VARIABLES) {
      all.append(' ').append(environment.getOrDefault(variable, ""));
    }
    return all.toString();
  }

  /** Whether one of the words is such an option. */
  private static boolean names(Pattern pattern, String options) {
    for (String word : options.split("[\\s\"']+")) {
      if (pattern.matcher(word).matches()) {
        return true;
      }
    }
    return false;
  }
}
