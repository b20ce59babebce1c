package dev.sailfish.metaserver;

import dev.sailfish.transport.Authentication;
import dev.sailfish.transport.ServerConfig;
import dev.sailfish.transport.TlsSettings;
import dev.sailfish.transport.WebSettings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * The metaserver's configuration keys. Each stands for {@code sailfish.metaserver.<name>}; what a
 * key is for, its unit, default and range are what {@link #help} prints.
 */
public enum MetaserverKey {
  /** Address to listen on. */
  HOST("host", "address to listen on, for both ports", "0.0.0.0"),
  /** Port for tasks and chunkservers. */
  PORT("port", "port for tasks and chunkservers; 0 = any free one", 19850, 0, 65535),
  /** Port of the web endpoint. */
  WEB_PORT(
      WebSettings.PORT_LABEL,
      "port of /health, /metrics, /status; 0 = any free one",
      19851,
      0,
      65535),
  /** File of the token of the web pages. */
  WEB_TOKEN_FILE(
      WebSettings.TOKEN_FILE_LABEL,
      "file with the token, mode 0600, that requests of /metrics and /status must bear, as"
          + " `Authorization: Bearer TOKEN` or as password; empty: everybody may see them",
      ""),
  /** I/O threads. */
  IO_THREADS("io.threads", "threads that serve connections", 2, 1, 256),
  /** Limit of connections. */
  CONNECTIONS_MAX(
      "connections.max",
      "connections at a time; further ones are closed at once",
      20_000,
      1,
      1_000_000),
  /** Limit of connections that are not authenticated. */
  CONNECTIONS_UNAUTHENTICATED_MAX(
      "connections.unauthenticated.max",
      "connections at a time whose callers have not proved who they are, a quarter of it from one"
          + " address; past it the oldest one is closed",
      ServerConfig.Limits.UNAUTHENTICATED,
      4,
      1_000_000),
  /** Chunk capacity. */
  CHUNK_BYTES(
      "chunk.bytes",
      "bytes of records a chunk holds when its job names no size",
      128L << 20,
      StateSettings.MIN_CHUNK_BYTES,
      StateSettings.MAX_CHUNK_BYTES),
  /** Reservation per appender. */
  RESERVATION_BYTES(
      "reservation.bytes",
      "bytes of a chunk that one bound appender reserves; chunk size / this = appenders per chunk",
      1L << 20,
      4096,
      StateSettings.MAX_CHUNK_BYTES),
  /** Lease of a job. */
  LEASE_MS(
      "lease.ms",
      "milliseconds after which a job that nobody names is deleted with its chunks",
      600_000,
      100,
      Long.MAX_VALUE / 2_000_000),
  /** Silence of a chunkserver. */
  DEAD_AFTER_MS(
      "dead.after.ms",
      "milliseconds of silence after which a chunkserver and its chunks are given up",
      30_000,
      100,
      86_400_000),
  /** Silence when half of the chunkservers or more are silent. */
  DEAD_AFTER_MASS_MS(
      "dead.after.mass.ms",
      "milliseconds of silence after which a chunkserver is given up while half of them or more, or"
          + " all, are silent; until then only those are whose port refuses connections; counts as"
          + " dead.after.ms at least",
      300_000,
      100,
      86_400_000),
  /** Quota of bytes. */
  USER_MAX_BYTES(
      "user.max.bytes",
      "stored bytes that the live jobs of one user may have on all chunkservers together; past it"
          + " no appender of the user is bound to a chunk; 0 = no limit",
      0,
      0,
      Long.MAX_VALUE),
  /** Quota of I-files. */
  USER_MAX_IFILES(
      "user.max.ifiles",
      "I-files, one per partition, that the live jobs of one user may have together; a job that"
          + " would need more is refused; 0 = no limit",
      0,
      0,
      Long.MAX_VALUE),
  /** Memory of all manifests. */
  MANIFESTS_MAX_BYTES(
      "manifests.max.bytes",
      "bytes that the manifests of all jobs may take, outside of the heap; a job that would need"
          + " more fails; 0 = three quarters of the heap, or the heap less 96 MiB if that is less",
      0,
      0,
      Long.MAX_VALUE),
  /** Memory of a job's manifests. */
  MANIFESTS_JOB_MAX_BYTES(
      "manifests.job.max.bytes",
      "bytes that the manifests of one job may take; 0 = nine tenths of manifests.max.bytes",
      0,
      0,
      Long.MAX_VALUE),
  /** Where the journal is. */
  JOURNAL_DIR(
      "journal.dir",
      "directory on a local disk for what must survive a restart; must be set, or `none`: running"
          + " jobs then fail when the process ends",
      ""),
  /** Whether the journal is forced to the disk. */
  JOURNAL_SYNC(
      "journal.sync",
      "true: a change is on the disk before it is acknowledged; false: a machine that loses its"
          + " power loses the last changes, a process that ends does not",
      "true"),
  /** Entries between snapshots. */
  JOURNAL_SNAPSHOT_ENTRIES(
      "journal.snapshot.entries",
      "changes after which the state is written as a whole and what the journal has before is"
          + " deleted",
      100_000,
      10,
      1_000_000_000),
  /** Name of the cluster. */
  CLUSTER("cluster", "name that the peers of one cluster share, and its journals bear", "sailfish"),
  /** Which peer this is. */
  PEER("peer", "which of the peers this one is; empty without peers", ""),
  /** All peers. */
  PEERS(
      "peers",
      "the metaservers that take each other's place: id=host:port with each one's own port, an odd"
          + " number of them with commas between, the same for all; empty: there is one metaserver",
      ""),
  /** Static racks. */
  RACKS(
      "racks",
      "host=rack pairs with commas between them; hosts that are missing are in "
          + RackResolver.DEFAULT_RACK,
      ""),
  /** File of static racks. */
  RACKS_FILE("racks.file", "file with one host=rack per line, instead of racks", ""),
  /** Topology script. */
  RACKS_SCRIPT(
      "racks.script",
      "script that prints the rack of each address given to it, as Hadoop's"
          + " net.topology.script.file.name; instead of racks and racks.file",
      ""),
  /** Deadline of the script. */
  RACKS_SCRIPT_DEADLINE_MS(
      "racks.script.deadline.ms", "milliseconds that the script may take", 10_000, 10, 600_000),
  /** ResourceManager to watch. */
  RESOURCEMANAGER(
      "resourcemanager",
      "[https://]host:port of the ResourceManager's web address, or of all of them with commas"
          + " between; when set, jobs of living applications are admitted, and a job is deleted as"
          + " soon as its application has ended",
      ""),
  /** What speaks for a new job. */
  ADMISSION(
      "admission",
      "what admits a new job, words with commas between: `resourcemanager`, its application is"
          + " alive; `token`, it has a delegation token, which needs Kerberos. A ticket and the"
          + " cluster secret always do. Empty: token with Kerberos, else resourcemanager",
      ""),
  /** Who the metaserver is in Kerberos. */
  KERBEROS_PRINCIPAL(
      "kerberos.principal",
      "who the metaserver is for users with Kerberos, service/host@REALM; `_HOST` stands for this"
          + " host's canonical name; empty: no Kerberos",
      ""),
  /** The metaserver's keytab. */
  KERBEROS_KEYTAB("kerberos.keytab", "file with the key of that principal", ""),
  /** Realms whose users are known. */
  KERBEROS_REALMS(
      "kerberos.realms",
      "realms whose principals are users, named by the first part of their names, with commas"
          + " between; empty: the realm of the metaserver's principal",
      ""),
  /** Who may ask for tokens of others. */
  KERBEROS_PROXY_USERS(
      "kerberos.proxy.users",
      "users who may ask for delegation tokens on behalf of any other user, as services do that"
          + " submit jobs for people, with commas between",
      ""),
  /** How long tokens are good. */
  TOKEN_LIFETIME_MS(
      "token.lifetime.ms",
      "milliseconds for which a delegation token admits jobs after it was issued",
      604_800_000,
      60_000,
      31_536_000_000L),
  /** Whether jobs are encrypted that do not ask for it. */
  ENCRYPT_AT_REST(
      "encrypt.at.rest",
      "`allowed`: map output is encrypted where it rests if its job asks for that; `required`: of all"
          + " new jobs, which needs authentication",
      "allowed"),
  /** Whether callers are authenticated. */
  AUTHENTICATION(
      Authentication.MODE_LABEL,
      "`secret`: who connects must prove to know the cluster secret or a job's key; `none`:"
          + " everybody may do everything; empty: secret, and without a secret file the server does"
          + " not start",
      ""),
  /** File of the cluster secret. */
  CLUSTER_SECRET_FILE(
      Authentication.FILE_LABEL,
      "file with the secret that the cluster's daemons share, mode 0600",
      ""),
  /** Whether links are encrypted. */
  TLS(
      TlsSettings.MODE_LABEL,
      "`required`: TLS on both ports; `none`: nothing is encrypted",
      TlsSettings.NONE),
  /** Keys of the server. */
  TLS_SERVER_FILE(
      TlsSettings.SERVER_FILE_LABEL,
      "file in the format of Hadoop's ssl-server.xml: where the server's key and certificate are",
      ""),
  /** Whom this metaserver trusts. */
  TLS_CLIENT_FILE(
      TlsSettings.CLIENT_FILE_LABEL,
      "file in the format of Hadoop's ssl-client.xml: which other metaservers this one trusts,"
          + " needed when there are peers, and which ResourceManagers over https; empty: those"
          + " that the JVM trusts",
      "");

  /** What the names of all keys begin with. */
  public static final String PREFIX = "sailfish.metaserver.";

  private final String label;
  private final String meaning;
  private final String defaultText;
  private final boolean number;
  private final long least;
  private final long most;

  MetaserverKey(String label, String meaning, String defaultText) {
    this.label = label;
    this.meaning = meaning;
    this.defaultText = defaultText;
    this.number = false;
    this.least = 0;
    this.most = 0;
  }

  MetaserverKey(String label, String meaning, long defaultNumber, long least, long most) {
    this.label = label;
    this.meaning = meaning;
    this.defaultText = Long.toString(defaultNumber);
    this.number = true;
    this.least = least;
    this.most = most;
  }

  /** The whole key, as users write it. */
  public String key() {
    return PREFIX + label;
  }

  /** The value when none is given. */
  public String defaultText() {
    return defaultText;
  }

  /** The smallest and the largest value; empty for texts. */
  public String range() {
    return number ? least + ".." + most : "";
  }

  /** What it is for, and its unit. */
  public String meaning() {
    return meaning;
  }

  /** One line: key, default, range, meaning. */
  public String help() {
    String range = number ? ", " + range() : "";
    return key() + " (" + (defaultText.isEmpty() ? "empty" : defaultText) + range + "): " + meaning;
  }

  /**
   * The value as a whole number.
   *
   * @throws IllegalArgumentException naming key, value and range
   */
  long number(String value) {
    try {
      long parsed = Long.parseLong(value.strip());
      if (parsed >= least && parsed <= most) {
        return parsed;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(outside(value), e);
    }
    throw new IllegalArgumentException(outside(value));
  }

  /**
   * The value as a path.
   *
   * @throws IllegalArgumentException naming key and value
   */
  Path path(String value) {
    try {
      return Path.of(value);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(key() + "=" + value + " is no path: " + e.getReason(), e);
    }
  }

  private String outside(String value) {
    return key() + "=" + value + " is not a whole number in " + least + ".." + most;
  }
}
