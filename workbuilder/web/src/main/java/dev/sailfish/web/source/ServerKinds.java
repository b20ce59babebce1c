package dev.sailfish.web.source;

/** What kinds of servers there are, as they call themselves. */
final class ServerKinds {
  static final String METASERVER = "metaserver";
  static final String CHUNKSERVER = "chunkserver";
  static final String LINEAGE_MASTER = "lineage-master";
  static final String LINEAGE_WORKER = "lineage-worker";

  private ServerKinds() {}

  /** The kind of the server that calls itself so, with its id behind a blank if it has one. */
  static String of(String name) {
    int blank = name.indexOf(' ');
    return blank < 0 ? name : name.substring(0, blank);
  }
}
