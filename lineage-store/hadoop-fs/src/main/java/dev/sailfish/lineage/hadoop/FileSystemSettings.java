package dev.sailfish.lineage.hadoop;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Settings;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * What Hadoop's configuration says of a file system whose URIs name its servers: by the authority
 * {@code host[:port]} the one, by another name those of the key {@code KEY.name}, and without an
 * authority those of the key. For one thread.
 */
public abstract class FileSystemSettings extends Settings {
  private final Configuration conf;
  private final Key<List<HostPort>> servers;
  private final int defaultPort;

  /**
   * Checks nothing.
   *
   * @param servers the key that names them
   * @param defaultPort of a server that is named without one
   */
  protected FileSystemSettings(Configuration conf, Key<List<HostPort>> servers, int defaultPort) {
    this.conf = conf;
    this.servers = servers;
    this.defaultPort = defaultPort;
  }

  @Override
  protected final String find(String name) {
    return conf.get(name);
  }

  /**
   * The servers of a file system.
   *
   * @param authority null: those of the key; a name that has a key of its own: those of that one;
   *     else the one server {@code host[:port]}
   * @throws IllegalArgumentException when it is none of these
   */
  protected final List<HostPort> servers(String authority) {
    if (authority == null) {
      return get(servers);
    }
    String addresses = addresses(authority);
    try {
      return addresses.isEmpty()
          ? List.of(HostPort.parse(canonical(authority)))
          : HostPort.parseAll(addresses);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s; for a name set %s.%s to the addresses of all its servers"
              .formatted(e.getMessage(), servers, authority),
          e);
    }
  }

  /** An authority with which all that mean the same are equal: that of one server with its port. */
  public final String canonical(String authority) {
    // Behind the bracket of an IPv6 address, if it is one.
    boolean isWhole =
        authority == null
            || authority.indexOf(':', authority.lastIndexOf(']') + 1) >= 0
            || !addresses(authority).isEmpty();
    return isWhole ? authority : authority + ":" + defaultPort;
  }

  /** Empty: the authority is no name with a key of its own. */
  private String addresses(String authority) {
    return conf.getTrimmed(servers + "." + authority, "");
  }

  /**
   * Permissions of something new, without those that the umask takes off.
   *
   * @param permission null: as for all
   */
  public final FsPermission masked(FsPermission permission, boolean isDirectory) {
    FsPermission given = permission;
    if (given == null) {
      given = isDirectory ? FsPermission.getDirDefault() : FsPermission.getFileDefault();
    }
    return given.applyUMask(FsPermission.getUMask(conf));
  }
}
