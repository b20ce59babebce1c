package dev.sailfish.metaserver;

import dev.sailfish.metaserver.kerberos.KerberosSettings;
import dev.sailfish.transport.Authentication;
import dev.sailfish.transport.TlsSettings;
import dev.sailfish.transport.WebSettings;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What a metaserver is told at its start; immutable and checked. Keys, defaults and ranges are in
 * {@link MetaserverKey}.
 *
 * @param web where the web pages are, and who may see them
 * @param resourcemanagers their web addresses; empty when applications are not watched
 * @param admission what admits a job: words of {@link MetaserverKey#ADMISSION}
 * @param authentication how it is known who connects
 * @param encryptAll whether new jobs are encrypted, whether they ask for it or not
 * @param tls whether links are encrypted
 * @param brakes what keeps it from doing harm when much goes wrong at a time
 * @param kerberos who the metaserver is for users with Kerberos; absent: it does not know them
 */
public record MetaserverConfig(
    String host,
    int port,
    WebSettings web,
    int ioThreads,
    long chunkBytes,
    long reservationBytes,
    long leaseMs,
    long deadAfterMs,
    Limits limits,
    RackConfig racks,
    List<URI> resourcemanagers,
    Set<String> admission,
    Authentication authentication,
    boolean encryptAll,
    TlsSettings tls,
    JournalConfig journal,
    Brakes brakes,
    Optional<KerberosSettings> kerberos) {

  /** Refuses a port that is not the one at which the other metaservers look for this one. */
  public MetaserverConfig {
    InetSocketAddress self = journal.peers().get(journal.peer());
    if (self != null && self.getPort() != port) {
      throw new IllegalArgumentException(
          MetaserverKey.PORT.key()
              + "="
              + port
              + " is not the port of peer "
              + journal.peer()
              + " in "
              + MetaserverKey.PEERS.key()
              + "="
              + JournalConfig.text(journal.peers())
              + ": metaservers reach each other where all others reach them");
    }
  }

  private static final String HTTP = "http://";
  private static final String HTTPS = "https://";

  /** Where clients find the metaserver, and how they know it: not ours, but files are shared. */
  private static final Set<String> CLIENT_KEYS =
      Set.of(MetaserverKey.PREFIX + "address", MetaserverKey.PREFIX + "public.key");

  /**
   * Bounds of what clients can make the metaserver hold.
   *
   * @param connections at a time
   * @param unauthenticated connections whose callers have not proved who they are
   * @param quota of each user
   */
  public record Limits(int connections, int unauthenticated, UserQuota quota) {}

  /**
   * What keeps a metaserver from doing harm when much goes wrong at a time.
   *
   * @param deadAfterMassMs how long chunkservers may be silent when half of them or more are
   * @param manifestsMaxBytes what all manifests may take; 0 = derived from the heap
   * @param manifestsJobMaxBytes what the manifests of a job may take; 0 = derived
   */
  public record Brakes(long deadAfterMassMs, long manifestsMaxBytes, long manifestsJobMaxBytes) {}

  /**
   * Where racks come from; at most one of the first three is not empty.
   *
   * @param map host=rack pairs with commas between them
   * @param file path of a file with one such pair per line
   * @param script path of a topology script
   * @param scriptDeadlineMs how long the script may take
   */
  public record RackConfig(String map, String file, String script, long scriptDeadlineMs) {
    /** Refuses two sources at a time. */
    public RackConfig {
      if (Stream.of(map, file, script).filter(source -> !source.isEmpty()).count() > 1) {
        throw new IllegalArgumentException(
            "racks come from one place: set only one of "
                + MetaserverKey.RACKS.key()
                + "="
                + map
                + ", "
                + MetaserverKey.RACKS_FILE.key()
                + "="
                + file
                + ", "
                + MetaserverKey.RACKS_SCRIPT.key()
                + "="
                + script);
      }
    }
  }

  /**
   * Reads the configuration out of properties. Those that do not begin with {@link
   * MetaserverKey#PREFIX} belong to somebody else.
   *
   * @throws IllegalArgumentException naming key, value and range of what is wrong, or an unknown
   *     key
   */
  public static MetaserverConfig of(Map<String, String> properties) {
    Map<MetaserverKey, String> values = new EnumMap<>(MetaserverKey.class);
    TreeSet<String> unknown = new TreeSet<>(properties.keySet());
    unknown.removeIf(key -> !key.startsWith(MetaserverKey.PREFIX) || CLIENT_KEYS.contains(key));
    for (MetaserverKey key : MetaserverKey.values()) {
      unknown.remove(key.key());
      values.put(key, properties.getOrDefault(key.key(), key.defaultText()).strip());
    }
    if (!unknown.isEmpty()) {
      List<String> known = Stream.of(MetaserverKey.values()).map(MetaserverKey::key).toList();
      throw new IllegalArgumentException(
          "unknown configuration keys: " + unknown + "; known=" + known);
    }
    return new MetaserverConfig(
        values.get(MetaserverKey.HOST),
        (int) number(values, MetaserverKey.PORT),
        new WebSettings(
            MetaserverKey.PREFIX,
            (int) number(values, MetaserverKey.WEB_PORT),
            values.get(MetaserverKey.WEB_TOKEN_FILE)),
        (int) number(values, MetaserverKey.IO_THREADS),
        number(values, MetaserverKey.CHUNK_BYTES),
        number(values, MetaserverKey.RESERVATION_BYTES),
        number(values, MetaserverKey.LEASE_MS),
        number(values, MetaserverKey.DEAD_AFTER_MS),
        new Limits(
            (int) number(values, MetaserverKey.CONNECTIONS_MAX),
            (int) number(values, MetaserverKey.CONNECTIONS_UNAUTHENTICATED_MAX),
            new UserQuota(
                number(values, MetaserverKey.USER_MAX_BYTES),
                number(values, MetaserverKey.USER_MAX_IFILES))),
        new RackConfig(
            values.get(MetaserverKey.RACKS),
            path(values, MetaserverKey.RACKS_FILE),
            path(values, MetaserverKey.RACKS_SCRIPT),
            number(values, MetaserverKey.RACKS_SCRIPT_DEADLINE_MS)),
        resourcemanagers(values.get(MetaserverKey.RESOURCEMANAGER)),
        admission(values),
        new Authentication(
            MetaserverKey.PREFIX,
            values.get(MetaserverKey.AUTHENTICATION),
            values.get(MetaserverKey.CLUSTER_SECRET_FILE)),
        encryptAll(values),
        tls(values),
        JournalConfig.of(values),
        new Brakes(
            number(values, MetaserverKey.DEAD_AFTER_MASS_MS),
            number(values, MetaserverKey.MANIFESTS_MAX_BYTES),
            number(values, MetaserverKey.MANIFESTS_JOB_MAX_BYTES)),
        kerberos(values));
  }

  private static Optional<KerberosSettings> kerberos(Map<MetaserverKey, String> values) {
    String principal = values.get(MetaserverKey.KERBEROS_PRINCIPAL);
    String keytab = path(values, MetaserverKey.KERBEROS_KEYTAB);
    String setting = MetaserverKey.KERBEROS_PRINCIPAL.key() + "=" + principal;
    if (principal.isEmpty() != keytab.isEmpty()) {
      throw new IllegalArgumentException(
          setting + " and " + MetaserverKey.KERBEROS_KEYTAB.key() + " are set both or not at all");
    }
    if (principal.isEmpty()) {
      return Optional.empty();
    }
    if (values.get(MetaserverKey.AUTHENTICATION).equals(Authentication.NONE)) {
      throw new IllegalArgumentException(
          setting
              + " is of no use without authentication: set "
              + MetaserverKey.CLUSTER_SECRET_FILE.key());
    }
    try {
      return Optional.of(
          new KerberosSettings(
              principal,
              MetaserverKey.KERBEROS_KEYTAB.path(keytab),
              words(values.get(MetaserverKey.KERBEROS_REALMS)),
              words(values.get(MetaserverKey.KERBEROS_PROXY_USERS)),
              Duration.ofMillis(number(values, MetaserverKey.TOKEN_LIFETIME_MS))));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(MetaserverKey.PREFIX + "kerberos: " + e.getMessage(), e);
    }
  }

  private static List<String> words(String list) {
    return Stream.of(list.split(",")).map(String::strip).filter(word -> !word.isEmpty()).toList();
  }

  private static Set<String> admission(Map<MetaserverKey, String> values) {
    String value = values.get(MetaserverKey.ADMISSION);
    boolean kerberos = !values.get(MetaserverKey.KERBEROS_PRINCIPAL).isEmpty();
    if (value.isEmpty()) {
      return Set.of(kerberos ? Admissions.TOKEN : Admissions.RESOURCEMANAGER);
    }
    Set<String> words = new TreeSet<>();
    for (String word : value.split(",", -1)) {
      if (!Admissions.WORDS.contains(word.strip())) {
        throw new IllegalArgumentException(
            MetaserverKey.ADMISSION.key()
                + "="
                + value
                + " must be words of "
                + Admissions.WORDS
                + " with commas between");
      }
      words.add(word.strip());
    }
    if (words.contains(Admissions.TOKEN) && !kerberos) {
      throw new IllegalArgumentException(
          MetaserverKey.ADMISSION.key()
              + "="
              + value
              + ": tokens are given to users with Kerberos only, set "
              + MetaserverKey.KERBEROS_PRINCIPAL.key()
              + " and "
              + MetaserverKey.KERBEROS_KEYTAB.key());
    }
    return words;
  }

  private static boolean encryptAll(Map<MetaserverKey, String> values) {
    String text = values.get(MetaserverKey.ENCRYPT_AT_REST);
    String setting = MetaserverKey.ENCRYPT_AT_REST.key() + "=" + text;
    if (!text.equals("allowed") && !text.equals("required")) {
      throw new IllegalArgumentException(setting + " must be allowed or required");
    }
    boolean required = text.equals("required");
    if (required && values.get(MetaserverKey.AUTHENTICATION).equals(Authentication.NONE)) {
      throw new IllegalArgumentException(
          setting
              + " needs authentication, because data is encrypted with keys that jobs prove"
              + " themselves with: set "
              + MetaserverKey.CLUSTER_SECRET_FILE.key()
              + " instead of "
              + MetaserverKey.AUTHENTICATION.key()
              + "="
              + Authentication.NONE);
    }
    return required;
  }

  private static TlsSettings tls(Map<MetaserverKey, String> values) {
    String clientFile = values.get(MetaserverKey.TLS_CLIENT_FILE);
    boolean connects = !values.get(MetaserverKey.PEERS).isEmpty();
    return new TlsSettings(
        MetaserverKey.PREFIX,
        values.get(MetaserverKey.TLS),
        values.get(MetaserverKey.TLS_SERVER_FILE),
        connects || !clientFile.isEmpty() ? Optional.of(clientFile) : Optional.empty());
  }

  private static long number(Map<MetaserverKey, String> values, MetaserverKey key) {
    return key.number(values.get(key));
  }

  private static String path(Map<MetaserverKey, String> values, MetaserverKey key) {
    return key.path(values.get(key)).toString();
  }

  private static List<URI> resourcemanagers(String value) {
    return value.isEmpty()
        ? List.of()
        : Stream.of(value.split(",", -1)).map(part -> resourcemanager(part.strip())).toList();
  }

  private static URI resourcemanager(String value) {
    String scheme = value.startsWith(HTTPS) ? HTTPS : HTTP;
    String place = value.startsWith(scheme) ? value.substring(scheme.length()) : value;
    InetSocketAddress address = address(MetaserverKey.RESOURCEMANAGER, place);
    try {
      return new URI(scheme + address.getHostString() + ":" + address.getPort() + "/");
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(noAddress(MetaserverKey.RESOURCEMANAGER, value), e);
    }
  }

  /** A {@code host:port}, not resolved. */
  static InetSocketAddress address(MetaserverKey key, String value) {
    int colon = value.lastIndexOf(':');
    try {
      int port = Integer.parseInt(value.substring(colon + 1));
      if (colon > 0 && port > 0 && port <= 0xffff) {
        return InetSocketAddress.createUnresolved(value.substring(0, colon), port);
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(noAddress(key, value), e);
    }
    throw new IllegalArgumentException(noAddress(key, value));
  }

  private static String noAddress(MetaserverKey key, String value) {
    return key.key() + "=" + value + " is not host:port with a port in 1..65535";
  }

  /** The part that the core needs. */
  StateSettings stateSettings() {
    return new StateSettings(
        chunkBytes, reservationBytes, leaseMs, deadAfterMs, limits.quota(), encryptAll);
  }
}
