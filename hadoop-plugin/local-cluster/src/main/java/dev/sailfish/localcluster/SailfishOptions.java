package dev.sailfish.localcluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How many of Sailfish's daemons a local cluster has, and what is set for them beyond what the
 * cluster needs.
 *
 * @param metaservers how many, an odd number: more than one take each other's place
 * @param chunkservers how many, at least one
 * @param lineageMasters how many if there is a worker, an odd number; without workers there are
 *     none
 * @param lineageWorkers how many; 0: there is no lineage store
 * @param web whether there is a web process: it takes processor time, so nobody measures with it
 * @param properties of the metaserver ({@code sailfish.metaserver.…}), of every chunkserver ({@code
 *     sailfish.chunkserver.…}), and so on
 */
public record SailfishOptions(
    int metaservers,
    int chunkservers,
    int lineageMasters,
    int lineageWorkers,
    boolean web,
    Map<String, String> properties) {
  /** The number of metaservers when nothing else is asked for. */
  public static final int DEFAULT_METASERVERS = 1;

  /** The number of chunkservers when nothing else is asked for. */
  public static final int DEFAULT_CHUNKSERVERS = 2;

  /** The number of masters of the lineage store when nothing else is asked for. */
  public static final int DEFAULT_LINEAGE_MASTERS = 1;

  static final String METASERVER_PREFIX = "sailfish.metaserver.";
  static final String CHUNKSERVER_PREFIX = "sailfish.chunkserver.";
  static final String LINEAGE_MASTER_PREFIX = "sailfish.lineage.master.";
  static final String LINEAGE_WORKER_PREFIX = "sailfish.lineage.worker.";
  static final String WORKFLOW_PREFIX = "sailfish.workflow.";
  static final String WEB_PREFIX = "sailfish.web.";
  private static final List<String> PREFIXES =
      List.of(
          METASERVER_PREFIX,
          CHUNKSERVER_PREFIX,
          LINEAGE_MASTER_PREFIX,
          LINEAGE_WORKER_PREFIX,
          WORKFLOW_PREFIX,
          WEB_PREFIX);
  private static final String TLS = "tls";
  private static final String TLS_CLIENT_FILE = "tls.client.file";
  private static final String TLS_SERVER_FILE = "tls.server.file";
  private static final int MAX_CHUNKSERVERS = 64;
  private static final int MAX_PEERS = 7;

  /** A metaserver, two chunkservers, no store, no web process and nothing set. */
  public static final SailfishOptions DEFAULT = new SailfishOptions(DEFAULT_CHUNKSERVERS, Map.of());

  /** Checks what can be checked before a daemon looks at it. */
  public SailfishOptions {
    properties = Map.copyOf(properties);
    checkPeers("metaservers", metaservers);
    checkPeers("lineage masters", lineageMasters);
    if (chunkservers < 1 || chunkservers > MAX_CHUNKSERVERS) {
      throw new CommandException(
          "A local cluster has 1 to " + MAX_CHUNKSERVERS + " chunkservers, not " + chunkservers);
    }
    if (lineageWorkers < 0 || lineageWorkers > MAX_CHUNKSERVERS) {
      throw new CommandException(
          "A local cluster has 0 to "
              + MAX_CHUNKSERVERS
              + " lineage workers, not "
              + lineageWorkers);
    }
    for (String key : properties.keySet()) {
      if (PREFIXES.stream().noneMatch(key::startsWith)) {
        throw new CommandException(
            "%s is no key of a daemon: those begin with %s (docs/CONFIGURATION.md lists them)"
                .formatted(key, String.join(" or ", PREFIXES)));
      }
    }
  }

  /** Without a web process. */
  public SailfishOptions(
      int metaservers,
      int chunkservers,
      int lineageMasters,
      int lineageWorkers,
      Map<String, String> properties) {
    this(metaservers, chunkservers, lineageMasters, lineageWorkers, false, properties);
  }

  /** One metaserver, no store and no web process. */
  public SailfishOptions(int chunkservers, Map<String, String> properties) {
    this(DEFAULT_METASERVERS, chunkservers, DEFAULT_LINEAGE_MASTERS, 0, properties);
  }

  /** A lineage store with one worker, of the others the least, and no web process. */
  public static SailfishOptions withStore(int lineageMasters, Map<String, String> properties) {
    return new SailfishOptions(DEFAULT_METASERVERS, 1, lineageMasters, 1, properties);
  }

  /** The same with a web process, or without. */
  public SailfishOptions withWeb(boolean wanted) {
    return new SailfishOptions(
        metaservers, chunkservers, lineageMasters, lineageWorkers, wanted, properties);
  }

  private static void checkPeers(String what, int count) {
    if (count < 1 || count > MAX_PEERS || count % 2 == 0) {
      throw new CommandException(
          "A local cluster has 1, 3, 5 or 7 %s, not %d: an even number bears no more failures"
                  .formatted(what, count)
              + " than one less.");
    }
  }

  /** The file that says which servers clients trust; absent when the daemons speak no TLS. */
  Optional<Path> tlsClientFile() {
    boolean metaserver = isRequired(METASERVER_PREFIX);
    if (metaserver != isRequired(CHUNKSERVER_PREFIX)) {
      throw new CommandException(
          "TLS is for metaserver and chunkservers or for none: set %s%s and %s%2$s to the same"
              .formatted(METASERVER_PREFIX, TLS, CHUNKSERVER_PREFIX));
    }
    String file = properties.get(CHUNKSERVER_PREFIX + TLS_CLIENT_FILE);
    if (!metaserver) {
      return Optional.empty();
    }
    if (file == null || !Files.isRegularFile(Path.of(file))) {
      throw new CommandException(
          CHUNKSERVER_PREFIX + TLS_CLIENT_FILE + "=" + file + " is no file, and TLS needs it");
    }
    return Optional.of(Path.of(file));
  }

  /**
   * What is set of TLS for one kind of daemon, as the keys of another.
   *
   * @param daemon what its keys begin with
   * @param prefix what those of the other begin with
   */
  Map<String, String> tls(String daemon, String prefix) {
    Map<String, String> keys = new TreeMap<>();
    for (String key : List.of(TLS, TLS_CLIENT_FILE, TLS_SERVER_FILE)) {
      String value = properties.get(daemon + key);
      if (value != null) {
        keys.put(prefix + key, value);
      }
    }
    return keys;
  }

  private boolean isRequired(String prefix) {
    return "required".equals(properties.get(prefix + TLS));
  }

  /** What is set for the daemons whose keys begin with {@code prefix}, over {@code base}. */
  Map<String, String> over(Map<String, String> base, String prefix) {
    Map<String, String> merged = new TreeMap<>(properties);
    merged.keySet().removeIf(key -> !key.startsWith(prefix));
    base.forEach(merged::putIfAbsent);
    return merged;
  }
}
