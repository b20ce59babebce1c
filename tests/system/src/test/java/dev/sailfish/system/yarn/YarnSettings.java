package dev.sailfish.system.yarn;

import java.util.List;
import java.util.Map;

/**
 * What tests tell a local cluster so that they cost less; what jobs are promised does not change.
 * Tasks have the heap of the local cluster.
 */
final class YarnSettings {
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
  static final Map<String, String> ENVIRONMENT = Map.of("SAILFISH_JAVA_OPTS", QUICK_START);

  /** Arguments of {@code sailfish start}. */
  static final List<String> QUICK =
      List.of(
          // The client hears sooner that its job has ended; the job itself does not know of it.
          "-Dmapreduce.client.completion.pollinterval=200",
          "-Dmapreduce.client.progressmonitor.pollinterval=200",
          "-Dyarn.app.mapreduce.am.command-opts=-Xmx768m" + SHORT_LIVED,
          "-Dmapreduce.map.java.opts=-Xmx1500m" + SHORT_LIVED,
          "-Dmapreduce.reduce.java.opts=-Xmx1500m" + SHORT_LIVED);

  private YarnSettings() {}
}
