package dev.sailfish.lineage.hadoop.qfs;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.hadoop.FileSystemSettings;
import dev.sailfish.lineage.qfs.QfsSettings;
import dev.sailfish.lineage.qfs.meta.Owner;
import dev.sailfish.lineage.qfs.meta.RetrySettings;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * What Hadoop's configuration says of QFS: the values of its {@link QfsKey}s, and what follows from
 * them. For one thread.
 */
final class QfsConfiguration extends FileSystemSettings {
  private static final int DEFAULT_PORT = 20000;

  /**
   * Checks all values.
   *
   * @throws IllegalArgumentException with key, value and range
   */
  QfsConfiguration(Configuration conf) {
    super(conf, QfsKey.METASERVERS, DEFAULT_PORT);
    QfsKey.ALL.check(this);
  }

  /**
   * The metaservers of a file system.
   *
   * @throws IllegalArgumentException when the authority is none
   */
  List<HostPort> metaservers(String authority) {
    List<HostPort> all = servers(authority);
    if (all.isEmpty()) {
      throw wrong(QfsKey.METASERVERS, "must name the metaservers of qfs:///");
    }
    return all;
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
}
