package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.lineage.qfs.QfsSettings;
import dev.sailfish.lineage.qfs.meta.Owner;
import dev.sailfish.lineage.qfs.meta.RetrySettings;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * What Hadoop's configuration says of QFS: the values of its {@link QfsKey}s, and what follows from
 * them. For one thread.
 */
final class QfsConfiguration extends Settings {
  private static final int DEFAULT_PORT = 20000;

  private final Configuration conf;

  /**
   * Checks all values.
   *
   * @throws IllegalArgumentException with key, value and range
   */
  QfsConfiguration(Configuration conf) {
    this.conf = conf;
    QfsKey.ALL.check(this);
  }

  @Override
  protected String find(String name) {
    return conf.get(name);
  }

  /**
   * The metaservers of a file system.
   *
   * @param authority null: those of the key; a name that has a key of its own: those of that one;
   *     else the one metaserver {@code host[:port]}
   * @throws IllegalArgumentException when it is none of these
   */
  List<HostPort> metaservers(String authority) {
    if (authority == null) {
      List<HostPort> all = get(QfsKey.METASERVERS);
      if (all.isEmpty()) {
        throw wrong(QfsKey.METASERVERS, "must name the metaservers of qfs:///");
      }
      return all;
    }
    String addresses = conf.getTrimmed(key(authority), "");
    try {
      return addresses.isEmpty()
          ? List.of(HostPort.parse(canonical(authority)))
          : HostPort.parseAll(addresses);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          e.getMessage()
              + "; for a name set "
              + key(authority)
              + " to the addresses of all metaservers",
          e);
    }
  }

  /** An authority with which all that mean the same are equal: that of one with its port. */
  String canonical(String authority) {
    // Behind the bracket of an IPv6 address, if it is one.
    boolean isWhole =
        authority == null
            || authority.indexOf(':', authority.lastIndexOf(']') + 1) >= 0
            || !conf.getTrimmed(key(authority), "").isEmpty();
    return isWhole ? authority : authority + ":" + DEFAULT_PORT;
  }

  private static String key(String authority) {
    return QfsKey.METASERVERS + "." + authority;
  }

  /**
   * How a user reaches the QFS.
   *
   * @param authority of the file system, as {@link #metaservers} says
   */
  QfsSettings client(String authority, QfsNumbers.Caller caller) {
    RetrySettings usual = RetrySettings.DEFAULTS;
    return QfsSettings.of(metaservers(authority).toArray(HostPort[]::new))
        .withOwner(new Owner(caller.user(), caller.group()))
        .withRetry(new RetrySettings(get(QfsKey.PATIENCE), usual.firstWait(), usual.longestWait()));
  }

  /**
   * @throws IOException when a file of users or groups cannot be read
   */
  QfsNumbers numbers() throws IOException {
    return new QfsNumbers(
        get(QfsKey.USERS), get(QfsKey.GROUPS), get(QfsKey.USERS_FILE), get(QfsKey.GROUPS_FILE));
  }

  /** Copies of a file whose writer says no number. */
  short replication() {
    return get(QfsKey.REPLICATION).shortValue();
  }

  /**
   * Permissions of something new, without those that the umask takes off.
   *
   * @param permission null: as for all
   */
  FsPermission masked(FsPermission permission, boolean isDirectory) {
    FsPermission given = permission;
    if (given == null) {
      given = isDirectory ? FsPermission.getDirDefault() : FsPermission.getFileDefault();
    }
    return given.applyUMask(FsPermission.getUMask(conf));
  }
}
