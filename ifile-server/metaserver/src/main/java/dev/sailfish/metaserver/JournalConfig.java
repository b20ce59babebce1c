package dev.sailfish.metaserver;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where a metaserver keeps its journal, and with whom.
 *
 * @param directory its own, on a local disk; empty: nothing is kept
 * @param sync whether an entry is on the disk before it is acknowledged
 * @param snapshotEntries entries after which a snapshot is taken
 * @param cluster name that all peers of one cluster have in common
 * @param peer which of the peers this one is; empty without peers
 * @param peers where the metaservers listen, not resolved, by id; empty: there is one
 */
public record JournalConfig(
    Optional<Path> directory,
    boolean sync,
    long snapshotEntries,
    String cluster,
    String peer,
    Map<String, InetSocketAddress> peers) {
  /** The value of {@link MetaserverKey#JOURNAL_DIR} for no journal. */
  static final String NONE = "none";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  /** Refuses what does not go together. */
  public JournalConfig {
    peers = Collections.unmodifiableMap(new LinkedHashMap<>(peers));
    name(MetaserverKey.CLUSTER, cluster);
    if (peers.isEmpty() != peer.isEmpty()) {
      throw new IllegalArgumentException(
          MetaserverKey.PEER.key()
              + "="
              + peer
              + " and "
              + MetaserverKey.PEERS.key()
              + "="
              + text(peers)
              + " belong together: set both, or neither for a single metaserver");
    }
    if (!peers.isEmpty() && !peers.containsKey(peer)) {
      throw new IllegalArgumentException(
          MetaserverKey.PEER.key()
              + "="
              + peer
              + " is none of "
              + MetaserverKey.PEERS.key()
              + "="
              + text(peers));
    }
    if (!peers.isEmpty() && peers.size() % 2 == 0) {
      throw new IllegalArgumentException(
          MetaserverKey.PEERS.key()
              + "="
              + text(peers)
              + ": an even number of peers bears no more failures than one peer less; name 1, 3 or"
              + " 5");
    }
    if (directory.isEmpty() && !peers.isEmpty()) {
      throw new IllegalArgumentException(
          MetaserverKey.PEERS.key() + " needs a journal: set " + MetaserverKey.JOURNAL_DIR.key());
    }
  }

  /**
   * Reads the keys' values.
   *
   * @throws IllegalArgumentException naming key and value of what is wrong
   */
  static JournalConfig of(Map<MetaserverKey, String> values) {
    String directory = values.get(MetaserverKey.JOURNAL_DIR);
    if (directory.isEmpty()) {
      throw new IllegalArgumentException(
          MetaserverKey.JOURNAL_DIR.key()
              + " must be set: a directory on a local disk for what must survive a restart, or "
              + NONE
              + " (running jobs then fail when this process ends)");
    }
    return new JournalConfig(
        directory.equals(NONE)
            ? Optional.empty()
            : Optional.of(MetaserverKey.JOURNAL_DIR.path(directory)),
        flag(MetaserverKey.JOURNAL_SYNC, values.get(MetaserverKey.JOURNAL_SYNC)),
        MetaserverKey.JOURNAL_SNAPSHOT_ENTRIES.number(
            values.get(MetaserverKey.JOURNAL_SNAPSHOT_ENTRIES)),
        values.get(MetaserverKey.CLUSTER),
        values.get(MetaserverKey.PEER),
        peers(values.get(MetaserverKey.PEERS)));
  }

  private static boolean flag(MetaserverKey key, String value) {
    if (value.equals("true") || value.equals("false")) {
      return value.equals("true");
    }
    throw new IllegalArgumentException(key.key() + "=" + value + " is neither true nor false");
  }

  private static void name(MetaserverKey key, String value) {
    if (!NAME.matcher(value).matches()) {
      throw new IllegalArgumentException(
          key.key() + "=" + value + " must be 1 to 100 letters, digits, '.', '_' or '-'");
    }
  }

  private static Map<String, InetSocketAddress> peers(String list) {
    Map<String, InetSocketAddress> peers = new LinkedHashMap<>();
    for (String text : list.split(",")) {
      String peer = text.strip();
      if (peer.isEmpty()) {
        continue;
      }
      int equals = peer.indexOf('=');
      String id = equals < 0 ? "" : peer.substring(0, equals).strip();
      if (id.isEmpty()) {
        throw new IllegalArgumentException(
            MetaserverKey.PEERS.key() + ": '" + peer + "' is not id=host:port");
      }
      name(MetaserverKey.PEERS, id);
      InetSocketAddress address =
          MetaserverConfig.address(MetaserverKey.PEERS, peer.substring(equals + 1).strip());
      if (peers.putIfAbsent(id, address) != null) {
        throw new IllegalArgumentException(
            MetaserverKey.PEERS.key() + ": the id '" + id + "' comes twice");
      }
    }
    return peers;
  }

  /** The id by which the journal knows this metaserver. */
  String id() {
    return peers.isEmpty() ? "single" : peer;
  }

  /** The peers as the key has them. */
  static String text(Map<String, InetSocketAddress> peers) {
    StringBuilder text = new StringBuilder();
    peers.forEach(
        (id, address) ->
            text.append(text.isEmpty() ? "" : ",")
                .append(id)
                .append('=')
                .append(address.getHostString())
                .append(':')
                .append(address.getPort()));
    return text.toString();
  }
}
