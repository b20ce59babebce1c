package dev.sailfish.metaserver;

import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.journal.JournalSettings;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where a metaserver keeps its journal, and with whom: reads the keys' values. */
final class JournalConfig {
  private JournalConfig() {}

  /**
   * Reads the settings.
   *
   * @throws IllegalArgumentException naming key and value of what is wrong or does not go together
   */
  static JournalSettings of(Settings settings) {
    if (!settings.isSet(MetaserverKey.JOURNAL_DIR)) {
      throw settings.wrong(
          MetaserverKey.JOURNAL_DIR,
          "must be set: a directory on a local disk for what must survive a restart, or none"
              + " (running jobs then fail when this process ends)");
    }
    String cluster = settings.get(MetaserverKey.CLUSTER);
    if (!JournalSettings.isName(cluster)) {
      throw settings.wrong(MetaserverKey.CLUSTER, JournalSettings.NAME_RULE);
    }
    String peer = settings.get(MetaserverKey.PEER);
    Map<String, InetSocketAddress> peers = peers(settings);
    InetSocketAddress self = peers.get(peer);
    if (self != null && self.getPort() != settings.get(MetaserverKey.PORT)) {
      throw settings.wrong(
          MetaserverKey.PORT,
          "is not the port of peer "
              + peer
              + " in "
              + MetaserverKey.PEERS
              + "="
              + JournalSettings.text(peers)
              + ": metaservers reach each other where all others reach them");
    }
    try {
      return new JournalSettings(
          Metaserver.NAME,
          settings.get(MetaserverKey.JOURNAL_DIR),
          settings.get(MetaserverKey.JOURNAL_SYNC),
          settings.get(MetaserverKey.JOURNAL_SNAPSHOT_ENTRIES),
          cluster,
          peer,
          peers);
    } catch (IllegalArgumentException e) {
      throw settings.wrong(
          peers.isEmpty() ? MetaserverKey.PEER : MetaserverKey.PEERS,
          "is wrong: " + e.getMessage());
    }
  }

  private static Map<String, InetSocketAddress> peers(Settings settings) {
    Map<String, InetSocketAddress> peers = new LinkedHashMap<>();
    for (String peer : settings.get(MetaserverKey.PEERS)) {
      int equals = peer.indexOf('=');
      String id = equals < 0 ? "" : peer.substring(0, equals).strip();
      if (id.isEmpty()) {
        throw settings.wrong(MetaserverKey.PEERS, "is wrong: '" + peer + "' is not id=host:port");
      }
      InetSocketAddress address =
          settings.address(MetaserverKey.PEERS, peer.substring(equals + 1).strip()).unresolved();
      if (peers.putIfAbsent(id, address) != null) {
        throw settings.wrong(MetaserverKey.PEERS, "has the id '" + id + "' twice");
      }
    }
    return peers;
  }
}
