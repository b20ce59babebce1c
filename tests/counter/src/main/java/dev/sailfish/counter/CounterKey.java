package dev.sailfish.counter;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.replica.JournalKeys;
import dev.sailfish.ground.server.ServerKeys;

/** The configuration keys of a peer. */
final class CounterKey {
  static final KeySet ALL = new KeySet("sailfish.counter.");
  static final Key<String> HOST = ALL.text("host", "0.0.0.0", "address to listen on");
  static final Key<Integer> PORT = ALL.number("port", "19860", "0..65535", "port for all");
  static final ServerKeys SERVER = ServerKeys.of(ALL, "19861");
  static final JournalKeys JOURNAL =
      JournalKeys.of(ALL, CounterServer.NAME, "counters begin again at 0");

  private CounterKey() {}
}
