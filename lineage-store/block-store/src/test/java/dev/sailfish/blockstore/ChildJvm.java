package dev.sailfish.blockstore;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a main class of the tests in a JVM of its own. */
final class ChildJvm {
  private ChildJvm() {}

  static ProcessBuilder start(Class<?> main, String... arguments) {
    return new ProcessBuilder(command(main, arguments));
  }

  static List<String> command(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return command;
  }
}
