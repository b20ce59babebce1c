package dev.sailfish.system.yarn;

import java.util.List;
import java.util.Map;

/**
 * What tests tell a local cluster so that they cost less; what jobs are promised does not change.
 * Tasks have the heap of the local cluster.
 */
final class YarnSettings {
  // JVMs that live for seconds or minutes: the second compiler would take more than it saves.
  private static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1";
  private static final String SHORT_LIVED = " -XX:+UseSerialGC " + ONE_COMPILER;

  /** Environment of {@code sailfish}: for daemons and job clients. */
  static final Map<String, String> ENVIRONMENT = Map.of("SAILFISH_JAVA_OPTS", ONE_COMPILER);

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
