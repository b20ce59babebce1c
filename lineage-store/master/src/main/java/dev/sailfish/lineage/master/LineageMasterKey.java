package dev.sailfish.lineage.master;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.replica.JournalKeys;
import dev.sailfish.ground.server.ServerKeys;
import dev.sailfish.ground.server.kerberos.KerberosKeys;
import dev.sailfish.ground.server.racks.RackKeys;
import dev.sailfish.lineage.master.checkpoint.CheckpointKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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
  static final Key<List<String>> SUPERUSERS =
      ALL.list(
          "superusers",
          "",
          "users with tokens to whom everything is permitted, with commas between; who knows the"
              + " cluster's secret says itself who is one");
  static final Key<Optional<Path>> GROUPS_FILE =
      ALL.path(
          "groups.file",
          "/etc/group",
          "which groups users with tokens are in, in the format of /etc/group: those that name the"
              + " user as a member; looked at again every 10 s, and the same on all masters; `none`:"
              + " they are in none");
  static final Key<Duration> BLOCK_TOKEN_LIFETIME =
      ALL.duration(
          "block.token.lifetime",
          "1h",
          "1s..1d",
          "how long a user with a token reads or writes a file before the master is asked again"
              + " whether he may; clocks of masters and workers are to differ by less");
  static final Key<Integer> LINEAGE_DEPENDENCIES =
      ALL.number(
          "lineage.dependencies",
          "100000",
          "0..10000000",
          "how many lineage records there may be; the package's page says what one costs");
  static final Key<Integer> LINEAGE_INPUTS =
      ALL.number(
          "lineage.inputs", "100000", "0..1000000", "how many inputs a lineage record may have");
  static final Key<Integer> LINEAGE_OUTPUTS =
      ALL.number(
          "lineage.outputs", "10000", "1..100000", "how many outputs a lineage record may have");
  static final Key<Duration> LINEAGE_IDLE =
      ALL.duration(
          "lineage.idle",
          "7d",
          "1s..3650d",
          "a lineage record to which no output was added for so long gets no more: it was not sealed"
              + " because the one that made it is gone");
  static final Key<Integer> LINEAGE_PROGRAMS =
      ALL.number(
          "lineage.programs",
          "100",
          "1..1000",
          "how many files a lineage record may name as its program and what that needs");
  static final Key<Long> LINEAGE_CONFIG =
      ALL.size(
          "lineage.config",
          "64k",
          "0..4m",
          "how long the configuration in a lineage record may be; a longer one is uploaded as a"
              + " file of the program");
  static final Key<Long> LINEAGE_PROGRAM =
      ALL.size(
          "lineage.program", "256m", "1..16g", "how long a program of a lineage record may be");
  static final CheckpointKeys CHECKPOINTS = CheckpointKeys.of(ALL);
  static final RackKeys RACKS = RackKeys.of(ALL);
  static final KerberosKeys KERBEROS = KerberosKeys.of(ALL, "lineage master", "is good");
  static final ServerKeys SERVER = ServerKeys.of(ALL, "19869");
  static final JournalKeys JOURNAL = JournalKeys.of(ALL, LineageMaster.NAME, "all files are gone");

  private LineageMasterKey() {}
}
