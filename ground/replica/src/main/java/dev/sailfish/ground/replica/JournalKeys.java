package dev.sailfish.ground.replica;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.journal.JournalSettings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The keys that say where a service keeps its journal, and with whom.
 *
 * @param service what one of its servers is called, for instance {@code "counter"}
 * @param unkept what happens when a process without a journal ends
 */
public record JournalKeys(
    String service,
    String unkept,
    Key<Optional<Path>> directory,
    Key<Boolean> sync,
    Key<Integer> snapshotEntries,
    Key<String> cluster,
    Key<String> peer,
    Key<List<String>> peers) {

  /** Declares them. */
  public static JournalKeys of(KeySet keys, String service, String unkept) {
    return new JournalKeys(
        service,
        unkept,
        keys.path(
            "journal.dir",
            "",
            "directory on a local disk for what must survive a restart; must be set, or `none`: "
                + unkept
                + " when the process ends"),
        keys.flag(
            "journal.sync",
            "true",
            "true: a change is on the disk before it is acknowledged; false: a machine that loses"
                + " its power loses the last changes, a process that ends does not"),
        keys.number(
            "journal.snapshot.entries",
            "100000",
            "10..1000000000",
            "changes after which the state is written as a whole and what the journal has before"
                + " is deleted; of a large state after more: when the journal has grown to a quarter"
                + " of what was written last"),
        keys.text(
            "cluster",
            "sailfish",
            "name that the peers of one cluster share, and its journals bear"),
        keys.text("peer", "", "which of the peers this one is; empty without peers"),
        keys.list(
            "peers",
            "",
            "the %1$ss that take each other's place: id=host:port with each one's own port, an odd"
                    .formatted(service)
                + " number of them with commas between, the same for all; empty: there is one "
                + service));
  }

  /**
   * Reads the settings.
   *
   * @param port where the server listens, which has to be the port of its peer
   * @throws IllegalArgumentException naming key and value of what is wrong or does not go together
   */
  public JournalSettings read(Settings settings, Key<Integer> port) {
    if (!settings.isSet(directory)) {
      throw settings.wrong(
          directory,
          "must be set: a directory on a local disk for what must survive a restart, or none ("
              + unkept
              + " when this process ends)");
    }
    String name = settings.get(cluster);
    if (!JournalSettings.isName(name)) {
      throw settings.wrong(cluster, JournalSettings.NAME_RULE);
    }
    String id = settings.get(peer);
    Map<String, InetSocketAddress> addresses = addresses(settings);
    InetSocketAddress self = addresses.get(id);
    if (self != null && self.getPort() != settings.get(port)) {
      throw settings.wrong(
          port,
          "is not the port of peer %s in %s=%s: %ss reach each other where all others reach them"
              .formatted(id, peers, JournalSettings.text(addresses), service));
    }
    try {
      return new JournalSettings(
          service,
          settings.get(directory),
          settings.get(sync),
          settings.get(snapshotEntries),
          name,
          id,
          addresses);
    } catch (IllegalArgumentException e) {
      throw settings.wrong(addresses.isEmpty() ? peer : peers, "is wrong: " + e.getMessage());
    }
  }

  private Map<String, InetSocketAddress> addresses(Settings settings) {
    Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();
    for (String one : settings.get(peers)) {
      int equals = one.indexOf('=');
      String id = equals < 0 ? "" : one.substring(0, equals).strip();
      if (id.isEmpty()) {
        throw settings.wrong(peers, "is wrong: '" + one + "' is not id=host:port");
      }
      InetSocketAddress address =
          settings.address(peers, one.substring(equals + 1).strip()).unresolved();
      if (addresses.putIfAbsent(id, address) != null) {
        throw settings.wrong(peers, "has the id '" + id + "' twice");
      }
    }
    return addresses;
  }
}
