package dev.sailfish.lineage.hadoop;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;

/**
 * What Hadoop's configuration says of the store: the values of its {@link LineageKey}s, and what
 * follows from them. For one thread.
 */
final class StoreSettings extends FileSystemSettings {
  private static final int DEFAULT_PORT = 19868;

  private final Configuration conf;

  /**
   * Checks all values.
   *
   * @throws IllegalArgumentException with key, value and range
   */
  StoreSettings(Configuration conf) {
    super(conf, LineageKey.MASTERS, DEFAULT_PORT);
    this.conf = conf;
    LineageKey.ALL.check(this);
    LineageKey.OF_JOBS.check(this);
    if (get(LineageKey.BUFFER_SIZE) % BlockTail.UNIT != 0) {
      throw wrong(LineageKey.BUFFER_SIZE, "must be a multiple of " + BlockTail.UNIT + " bytes");
    }
  }

  /**
   * How a user reaches the store.
   *
   * @param authority of the file system, as {@link #masters} says
   * @throws IOException when the cluster's secret cannot be read
   * @throws IllegalArgumentException when the authority is none
   */
  StoreClientConfig client(String authority, UserGroupInformation user) throws IOException {
    List<HostPort> masters = masters(authority);
    Network network = network();
    return new StoreClientConfig(
        masters.stream().map(HostPort::unresolved).toList(),
        network,
        credentials(masters, network, user),
        user(user),
        hosts(),
        Math.toIntExact(get(LineageKey.BUFFER_SIZE)),
        get(LineageKey.PATIENCE),
        LostFileSettings.of(this, conf, System.getenv()));
  }

  /**
   * The masters of a file system.
   *
   * @throws IllegalArgumentException when the authority is none
   */
  List<HostPort> masters(String authority) {
    return servers(authority);
  }

  /**
   * The path in a store that a URI names.
   *
   * @param masters of the store
   * @return null: it names no file of that store
   */
  String pathIn(List<HostPort> masters, URI file) {
    boolean isHere =
        LineageFileSystem.SCHEME.equals(file.getScheme())
            && masters(file.getAuthority()).equals(masters);
    return isHere ? file.getPath() : null;
  }

  private Network network() throws IOException {
    return get(LineageKey.TLS).equals(Key.NONE)
        ? Network.SOCKETS
        : StoreTls.network(conf, get(LineageKey.TLS_FILE));
  }

  private boolean isAuthenticated() {
    return get(LineageKey.AUTHENTICATION).equals("secret");
  }

  private Credentials credentials(
      List<HostPort> masters, Network network, UserGroupInformation user) throws IOException {
    if (!isAuthenticated()) {
      return Credentials.none();
    }
    StoreTokens tokens = tokens(masters, network, user);
    if (!tokens.isAny()) {
      Optional<Path> file = get(LineageKey.SECRET_FILE);
      if (file.isPresent()) {
        ClusterSecret.read(LineageKey.SECRET_FILE.name(), file.get()); // says why it cannot be
      }
      throw wrong(
          LineageKey.AUTHENTICATION,
          "needs a token of the store in the user's credentials, Kerberos, or "
              + LineageKey.SECRET_FILE);
    }
    return tokens.credentials();
  }

  /** By what tokens of a file system are found among others; null: it needs none. */
  String service(String authority) {
    return isAuthenticated() ? StoreTokens.service(masters(authority)) : null;
  }

  /**
   * A token for a user, for programs that work on his behalf; null: none is needed.
   *
   * @param authority of the file system, as {@link #masters} says
   */
  Token<StoreTokenIdentifier> token(String authority, UserGroupInformation user, String renewer)
      throws IOException {
    return isAuthenticated() ? tokens(masters(authority), network(), user).issue(renewer) : null;
  }

  private StoreTokens tokens(List<HostPort> masters, Network network, UserGroupInformation user)
      throws IOException {
    Optional<Path> file = get(LineageKey.SECRET_FILE);
    // A task may be told the path of its client's file: it has a token in place of it.
    boolean isThere = file.isPresent() && Files.isReadable(file.get());
    Optional<byte[]> secret =
        isThere
            ? Optional.of(ClusterSecret.read(LineageKey.SECRET_FILE.name(), file.get()))
            : Optional.empty();
    return new StoreTokens(user, masters, network, secret, get(LineageKey.KERBEROS_PRINCIPAL));
  }

  private StoreUser user(UserGroupInformation user) {
    String name = user.getShortUserName();
    return StoreUser.newBuilder()
        .setName(name)
        .addAllGroups(List.of(user.getGroupNames()))
        .setSuperuser(name.equals(get(LineageKey.SUPERUSER)))
        .build();
  }

  private Set<String> hosts() {
    List<String> set = get(LineageKey.HOSTS);
    if (!set.isEmpty()) {
      return new LinkedHashSet<>(set);
    }
    Set<String> names = new LinkedHashSet<>();
    try {
      InetAddress here = InetAddress.getLocalHost();
      names.add(here.getHostName());
      names.add(here.getCanonicalHostName());
    } catch (UnknownHostException e) {
      names.clear(); // a host without a name has no workers that others could reach
    }
    names.add("localhost");
    return names;
  }

  /** All values, as they are written, for comparisons. */
  List<String> values() {
    return LineageKey.ALL.all().stream().map(key -> conf.getTrimmed(key.name(), "")).toList();
  }

  /** Where the bytes of new files go. */
  WriteMode writeMode() {
    WriteMode mode = Modes.write(get(LineageKey.WRITE));
    boolean isUnrecorded = !Container.isTask(conf) && get(LineageKey.UNRECORDED).equals("through");
    return mode == WriteMode.WRITE_AS_MOUNTED && isUnrecorded
        ? WriteMode.WRITE_THROUGH_IF_MOUNTED
        : mode;
  }

  /** How files are read. */
  Modes.Reading reading() {
    return new Modes.Reading(Modes.read(get(LineageKey.READ)), get(LineageKey.COPY_LOCAL));
  }

  /** Size of the blocks of files whose writers do not say another one, in bytes. */
  long blockSize() {
    return 1L << BlockSize.log(get(LineageKey.BLOCK_SIZE));
  }
}
