package dev.sailfish.ground.server.racks;

/** Says in which rack a host is. May be used from any thread. */
public interface RackResolver {
  /** Rack of hosts that nobody knows, as in Hadoop. */
  String DEFAULT_RACK = "/default-rack";

  /**
   * The rack of a host, if it can be told without waiting; else null, and {@link #resolve} must be
   * asked on a thread that may wait.
   */
  String known(String host);

  /**
   * The rack of a host; may wait for a bounded time. Never fails: {@link #DEFAULT_RACK} at worst.
   */
  String resolve(String host);
}
