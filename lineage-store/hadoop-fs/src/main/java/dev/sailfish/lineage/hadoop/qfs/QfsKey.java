package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The keys of QFS in Hadoop's configuration. */
public final class QfsKey {
  /** All of them; {@link #METASERVERS} has more beside it, one for each name of a QFS. */
  public static final KeySet ALL = new KeySet("sailfish.qfs.");

  static final Key<List<HostPort>> METASERVERS =
      ALL.addresses(
          "metaservers",
          Key.NONE,
          Key.NONE,
          "all metaservers of `qfs:///`, with commas between; with `.NAME` behind the key, those of"
              + " `qfs://NAME/`");
  static final Key<Integer> REPLICATION =
      ALL.number(
          "replication",
          "3",
          "1..64",
          "copies of a file whose writer says no number; the metaserver may allow fewer");
  static final Key<List<String>> USERS =
      ALL.list(
          "users",
          "",
          "numbers of users, `name=number` each, or `name=number:group` with the number of the"
              + " first group, with commas between; they count before those of `users.file`");
  static final Key<List<String>> GROUPS =
      ALL.list(
          "groups", "", "numbers of groups, `name=number` each, before those of `groups.file`");
  static final Key<Optional<Path>> USERS_FILE =
      ALL.path(
          "users.file",
          "/etc/passwd",
          "file with the numbers of users and of their first groups, in the format of /etc/passwd");
  static final Key<Optional<Path>> GROUPS_FILE =
      ALL.path(
          "groups.file",
          "/etc/group",
          "file with the numbers of groups, in the format of /etc/group");
  static final Key<Duration> PATIENCE =
      ALL.duration(
          "patience",
          "1min",
          "1s..1d",
          "how long is tried again when no metaserver answers, or no chunkserver takes or gives a"
              + " chunk");

  private QfsKey() {}
}
