package dev.sailfish.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command that starts a main class in a JVM of its own, with this JVM's class path. */
public final class ChildJvm {
  private ChildJvm() {}

  /**
   * A command for a {@link ProcessBuilder}. The JVM has the first compiler only: the second one
   * would take more time than it saves in the seconds that such a process lives.
   *
   * @param flags of the JVM, such as its heap; {@code -D} as well
   */
  public static List<String> command(Class<?> main, List<String> flags, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }
}
