package dev.sailfish.lineage.master;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.replica.JournalKeys;
import dev.sailfish.ground.server.ServerKeys;
import java.time.Duration;

/** The configuration keys of a master. */
public final class LineageMasterKey {
  /** All of them. */
  public static final KeySet ALL = new KeySet("sailfish.lineage.master.");

  static final Key<String> HOST =
      ALL.text("host", "0.0.0.0", "address to listen on; other masters reach it by its own name");
  static final Key<Integer> PORT = ALL.number("port", "19868", "0..65535", "port for all");
  static final Key<Duration> CLIENT_LEASE =
      ALL.duration(
          "client.lease",
          "60s",
          "1s..1d",
          "a client that is not heard for so long is gone: the files that it has not completed are"
              + " removed");
  static final Key<Duration> WORKER_LEASE =
      ALL.duration(
          "worker.lease",
          "10s",
          "100ms..1h",
          "a worker that is not heard for so long is gone: what it has counts no more");
  static final ServerKeys SERVER = ServerKeys.of(ALL, "19869");
  static final JournalKeys JOURNAL = JournalKeys.of(ALL, LineageMaster.NAME, "all files are gone");

  private LineageMasterKey() {}
}
