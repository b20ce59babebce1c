package dev.sailfish.metaserver;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import dev.sailfish.ground.server.kerberos.KerberosSettings;
import dev.sailfish.metaserver.rpc.Admissions;
import dev.sailfish.metaserver.state.UserQuota;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a metaserver is told at its start; immutable and checked.
 *
 * @param settings the values of all {@link MetaserverKey}s, which {@link #get} gives; beside them
 *     what takes more than one key, or more than reading
 * @param daemon what all daemons are told
 * @param resourcemanagers their web addresses; empty when applications are not watched
 * @param admission what admits a job: words of {@link MetaserverKey#ADMISSION}
 * @param encryptAll whether new jobs are encrypted, whether they ask for it or not
 * @param kerberos who the metaserver is for users with Kerberos; absent: it does not know them
 */
public record MetaserverConfig(
    Settings settings,
    DaemonSettings daemon,
    List<URI> resourcemanagers,
    Set<String> admission,
    boolean encryptAll,
    JournalSettings journal,
    Optional<KerberosSettings> kerberos) {

  private static final String HTTP = "http://";
  private static final String HTTPS = "https://";

  /** Reads settings that have no place; see {@link #of(Settings)}. */
  public static MetaserverConfig of(Map<String, String> settings) {
    return of(Settings.of(settings));
  }

  /**
   * Reads the settings. Those that do not begin with {@link MetaserverKey#PREFIX} belong to
   * somebody else.
   *
   * @throws IllegalArgumentException naming key, value and range of what is wrong, or an unknown
   *     key
   */
  public static MetaserverConfig of(Settings settings) {
    MetaserverKey.ALL.check(settings);
    MetaserverKey.RACKS.check(settings);
    JournalSettings journal = MetaserverKey.JOURNAL.read(settings, MetaserverKey.PORT);
    DaemonSettings daemon =
        DaemonSettings.of(settings, MetaserverKey.SERVER, !journal.peers().isEmpty());
    Optional<KerberosSettings> kerberos =
        MetaserverKey.KERBEROS.read(settings, daemon.open(), MetaserverKey.SERVER.secretFile());
    return new MetaserverConfig(
        settings,
        daemon,
        settings.get(MetaserverKey.RESOURCEMANAGER).stream()
            .map(text -> resourcemanager(settings, text))
            .toList(),
        admission(settings, kerberos.isPresent()),
        encryptAll(settings, daemon),
        journal,
        kerberos);
  }

  /** The value of a key, or its default. */
  public <T> T get(Key<T> key) {
    return settings.get(key);
  }

  private static Set<String> admission(Settings settings, boolean kerberos) {
    Set<String> words = Set.copyOf(settings.get(MetaserverKey.ADMISSION));
    if (words.isEmpty()) {
      return Set.of(kerberos ? Admissions.TOKEN : Admissions.RESOURCEMANAGER);
    }
    if (words.contains(Admissions.TOKEN) && !kerberos) {
      throw settings.wrong(
          MetaserverKey.ADMISSION,
          "needs Kerberos, because tokens are given to its users only: set %s and %s"
              .formatted(MetaserverKey.KERBEROS.principal(), MetaserverKey.KERBEROS.keytab()));
    }
    return words;
  }

  private static boolean encryptAll(Settings settings, DaemonSettings daemon) {
    boolean required = settings.get(MetaserverKey.ENCRYPT_AT_REST).equals("required");
    if (required && daemon.open()) {
      throw settings.wrong(
          MetaserverKey.ENCRYPT_AT_REST,
          ("needs authentication, because data is encrypted with keys that jobs prove themselves"
                  + " with: set %s instead of %s=none")
              .formatted(MetaserverKey.SERVER.secretFile(), MetaserverKey.SERVER.authentication()));
    }
    return required;
  }

  private static URI resourcemanager(Settings settings, String text) {
    String scheme = text.startsWith(HTTPS) ? HTTPS : HTTP;
    String place = text.startsWith(scheme) ? text.substring(scheme.length()) : text;
    return URI.create(scheme + settings.address(MetaserverKey.RESOURCEMANAGER, place) + "/");
  }

  /** What one user may have. */
  UserQuota quota() {
    return new UserQuota(get(MetaserverKey.USER_MAX_SIZE), get(MetaserverKey.USER_MAX_IFILES));
  }
}
