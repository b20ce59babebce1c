package dev.sailfish.web.source.servers;

/** What kinds of servers there are, as they call themselves. */
public final class ServerKinds {
  /** Places chunks, and knows jobs. */
  public static final String METASERVER = "metaserver";

  /** Has chunks. */
  public static final String CHUNKSERVER = "chunkserver";

  /** Has the names of the lineage store. */
  public static final String LINEAGE_MASTER = "lineage-master";

  /** Has blocks of the lineage store. */
  public static final String LINEAGE_WORKER = "lineage-worker";

  private ServerKinds() {}

  /** The kind of the server that calls itself so, with its id behind a blank if it has one. */
  static String of(String name) {
    int blank = name.indexOf(' ');
    return blank < 0 ? name : name.substring(0, blank);
  }
}
