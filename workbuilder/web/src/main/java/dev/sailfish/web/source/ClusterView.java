package dev.sailfish.web.source;

import java.util.List;

/**
 * The cluster as it is shown.
 *
 * @param brake why the metaserver gives no chunkserver up now, a sentence or empty
 * @param heardMs when the last server answered, in milliseconds since 1970; null: none has yet
 */
public record ClusterView(
    List<ServerRow> servers,
    List<UserRow> users,
    Quota quota,
    String brake,
    List<Advice> advice,
    Long heardMs) {
  /** Before anything was asked. */
  public static final ClusterView EMPTY =
      new ClusterView(List.of(), List.of(), new Quota(0, 0), "", List.of(), null);
}
