package dev.sailfish.system;

import java.util.List;

/**
 * What tests tell a local cluster so that they cost less; what jobs are promised does not change.
 * Tasks have the heap of the local cluster.
 */
final class YarnSettings {
  private static final String SHORT_LIVED = " -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  /** Arguments of {@code sailfish start}. */
  static final List<String> QUICK =
      List.of(
          // The client hears sooner that its job has ended; the job itself does not know of it.
          "-Dmapreduce.client.completion.pollinterval=200",
          "-Dmapreduce.client.progressmonitor.pollinterval=200",
          // JVMs that live for seconds: the second compiler would take more time than it saves.
          "-Dyarn.app.mapreduce.am.command-opts=-Xmx768m" + SHORT_LIVED,
          "-Dmapreduce.map.java.opts=-Xmx1500m" + SHORT_LIVED,
          "-Dmapreduce.reduce.java.opts=-Xmx1500m" + SHORT_LIVED);

  private YarnSettings() {}
}
