package dev.sailfish.web.source.store;

import java.util.List;

/**
 * Which files were made of which, around one.
 *
 * @param edges pairs of ids, from what was read to what was made of it
 */
public record StoreLineage(List<Node> nodes, List<List<String>> edges) {
  /**
   * A file, or the record of how files are made.
   *
   * @param kind {@code file} or {@code dependency}
   * @param name a path, or what the record is called
   * @param type of a record, else null
   */
  public record Node(String id, String kind, String name, String state, String type) {}
}
