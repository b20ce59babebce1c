package dev.sailfish.ground.journal;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a service keeps its journal, and with whom.
 *
 * @param service what it is called in messages and names of threads
 * @param directory its own, on a local disk; empty: nothing is kept
 * @param sync whether an entry is on the disk before it is acknowledged
 * @param snapshotEntries entries after which a snapshot is taken
 * @param cluster name that all peers of one cluster have in common
 * @param peer which of the peers this one is; empty without peers
 * @param peers where they listen, not resolved, by id; empty: there is one
 */
public record JournalSettings(
    String service,
    Optional<Path> directory,
    boolean sync,
    long snapshotEntries,
    String cluster,
    String peer,
    Map<String, InetSocketAddress> peers) {
  /** What names of clusters and peers must be; goes into a message after the name. */
  public static final String NAME_RULE = "must be 1 to 100 letters, digits, '.', '_' or '-'";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  /** Refuses what does not go together, with the names of the components. */
  public JournalSettings {
    peers = Collections.unmodifiableMap(new LinkedHashMap<>(peers));
    require(isName(cluster), "cluster=" + cluster + " " + NAME_RULE);
    for (String id : peers.keySet()) {
      require(isName(id), "peers: " + id + " " + NAME_RULE);
    }
    String said = "peer=" + peer + " peers=" + text(peers);
    require(
        peers.isEmpty() == peer.isEmpty(),
        said + " belong together: set both, or neither for a single " + service);
    require(
        peers.isEmpty() || peers.containsKey(peer),
        "peer=" + peer + " is none of peers=" + text(peers));
    require(
        peers.isEmpty() || peers.size() % 2 != 0,
        said
            + ": an even number of peers bears no more failures than one peer less; name 1, 3 or"
            + " 5");
    require(
        directory.isPresent() || peers.isEmpty(),
        said + " needs a journal: name a directory for it");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Whether a cluster or a peer can have this name. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** The id by which the journal knows this peer. */
  public String id() {
    return peers.isEmpty() ? "single" : peer;
  }

  /** The peers as {@code id=host:port,…}. */
  public static String text(Map<String, InetSocketAddress> peers) {
    return peers.entrySet().stream()
        .map(peer -> peer.getKey() + "=" + text(peer.getValue()))
        .collect(Collectors.joining(","));
  }

  /** An address as {@code host:port}, an IPv6 address in brackets. */
  public static String text(InetSocketAddress address) {
    String host = address.getHostString();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
  }
}
