package dev.sailfish.system.yarn;

import java.util.List;
import java.util.Map;

/**
 * What tests tell a local cluster so that they cost less; what jobs are promised does not change.
 * Tasks have the heap of the local cluster.
 */
public final class YarnSettings {
  // JVMs that live for seconds or minutes: the second compiler would take more than it saves.
  // ClientJarTest verifies what tasks get of ours, tests of modules what daemons are made of;
  // Hadoop's
  // classes are as they were published.
  private static final String QUICK_START =
      "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";
  private static final String SHORT_LIVED = " -XX:+UseSerialGC " + QUICK_START;

  /** Of daemons and job clients. */
  static final List<String> FLAGS = List.of(QUICK_START.split(" "));

  /** Environment of {@code sailfish}: for daemons and job clients. */
  public static final Map<String, String> ENVIRONMENT = Map.of("SAILFISH_JAVA_OPTS", QUICK_START);

  /** Keys that {@code sailfish start} gets. */
  public static final Map<String, String> QUICK =
      Map.of(
          // The client hears sooner that its job has ended; the job itself does not know of it.
          "mapreduce.client.completion.pollinterval",
          "200",
          "mapreduce.client.progressmonitor.pollinterval",
          "200",
          "yarn.app.mapreduce.am.command-opts",
          "-Xmx768m" + SHORT_LIVED,
          "mapreduce.map.java.opts",
          "-Xmx1500m" + SHORT_LIVED,
          "mapreduce.reduce.java.opts",
          "-Xmx1500m" + SHORT_LIVED);

  /** The same as arguments. */
  public static List<String> quick() {
    return QUICK.entrySet().stream().map(e -> "-D" + e.getKey() + "=" + e.getValue()).toList();
  }

  private YarnSettings() {}
}
