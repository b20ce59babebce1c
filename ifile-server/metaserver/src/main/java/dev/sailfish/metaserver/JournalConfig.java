package dev.sailfish.metaserver;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Settings;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a metaserver keeps its journal, and with whom.
 *
 * @param directory its own, on a local disk; empty: nothing is kept
 * @param sync whether an entry is on the disk before it is acknowledged
 * @param snapshotEntries entries after which a snapshot is taken
 * @param cluster name that all peers of one cluster have in common
 * @param peer which of the peers this one is; empty without peers
 * @param peers where the metaservers listen, by id; empty: there is one
 */
public record JournalConfig(
    Optional<Path> directory,
    boolean sync,
    long snapshotEntries,
    String cluster,
    String peer,
    Map<String, HostPort> peers) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
  private static final String NAME_RULE =
      "must be named with 1 to 100 letters, digits, '.', '_' or '-'";

  /** Keeps a copy of the peers. */
  public JournalConfig {
    peers = Collections.unmodifiableMap(new LinkedHashMap<>(peers));
  }

  /**
   * Reads the settings.
   *
   * @throws IllegalArgumentException naming key and value of what is wrong or does not go together
   */
  static JournalConfig of(Settings settings) {
    JournalConfig config =
        new JournalConfig(
            settings.get(MetaserverKey.JOURNAL_DIR),
            settings.get(MetaserverKey.JOURNAL_SYNC),
            settings.get(MetaserverKey.JOURNAL_SNAPSHOT_ENTRIES),
            settings.get(MetaserverKey.CLUSTER),
            settings.get(MetaserverKey.PEER),
            peers(settings));
    if (!settings.isSet(MetaserverKey.JOURNAL_DIR)) {
      throw settings.wrong(
          MetaserverKey.JOURNAL_DIR,
          "must be set: a directory on a local disk for what must survive a restart, or none"
              + " (running jobs then fail when this process ends)");
    }
    if (!NAME.matcher(config.cluster).matches()) {
      throw settings.wrong(MetaserverKey.CLUSTER, NAME_RULE);
    }
    if (config.peers.isEmpty() != config.peer.isEmpty()) {
      throw settings.wrong(
          MetaserverKey.PEER,
          "and " + MetaserverKey.PEERS + " are both set, or neither for a single metaserver");
    }
    if (!config.peers.isEmpty()) {
      config.checkPeers(settings);
    }
    return config;
  }

  private void checkPeers(Settings settings) {
    HostPort self = peers.get(peer);
    if (self == null) {
      throw settings.wrong(
          MetaserverKey.PEER, "is none of " + MetaserverKey.PEERS + "=" + text(peers));
    }
    if (self.port() != settings.get(MetaserverKey.PORT)) {
      throw settings.wrong(
          MetaserverKey.PORT,
          "is not the port of peer "
              + peer
              + " in "
              + MetaserverKey.PEERS
              + "="
              + text(peers)
              + ": metaservers reach each other where all others reach them");
    }
    if (peers.size() % 2 == 0) {
      throw settings.wrong(
          MetaserverKey.PEERS,
          "has an even number of peers, which bears no more failures than one peer less; name 1, 3"
              + " or 5");
    }
    if (directory.isEmpty()) {
      throw settings.wrong(
          MetaserverKey.PEERS, "needs a journal: set " + MetaserverKey.JOURNAL_DIR);
    }
  }

  private static Map<String, HostPort> peers(Settings settings) {
    Map<String, HostPort> peers = new LinkedHashMap<>();
    for (String peer : settings.get(MetaserverKey.PEERS)) {
      int equals = peer.indexOf('=');
      String id = equals < 0 ? "" : peer.substring(0, equals).strip();
      if (id.isEmpty()) {
        throw settings.wrong(MetaserverKey.PEERS, "is wrong: '" + peer + "' is not id=host:port");
      }
      if (!NAME.matcher(id).matches()) {
        throw settings.wrong(MetaserverKey.PEERS, NAME_RULE + ": '" + id + "'");
      }
      HostPort address = settings.address(MetaserverKey.PEERS, peer.substring(equals + 1).strip());
      if (peers.putIfAbsent(id, address) != null) {
        throw settings.wrong(MetaserverKey.PEERS, "has the id '" + id + "' twice");
      }
    }
    return peers;
  }

  /** The id by which the journal knows this metaserver. */
  String id() {
    return peers.isEmpty() ? "single" : peer;
  }

  /** The peers as the key has them. */
  static String text(Map<String, HostPort> peers) {
    return peers.entrySet().stream()
        .map(peer -> peer.getKey() + "=" + peer.getValue())
        .collect(Collectors.joining(","));
  }
}
