package dev.sailfish.web.source.servers;

import java.util.List;

/**
 * The cluster as it is shown.
 *
 * @param users as the metaserver that led last said, as {@code quota}
 * @param ledMs when a metaserver that leads was heard last, in milliseconds since 1970; null: none
 *     was
 * @param brake why the metaserver gives no chunkserver up now, a sentence or empty
 * @param heardMs when the last server answered, in milliseconds since 1970; null: none has yet
 */
public record ClusterView(
    List<ServerRow> servers,
    List<UserRow> users,
    Quota quota,
    Long ledMs,
    String brake,
    List<Advice> advice,
    Long heardMs) {
  /** Before anything was asked. */
  public static final ClusterView EMPTY =
      new ClusterView(List.of(), List.of(), new Quota(0, 0), null, "", List.of(), null);

  /** The same for a user: of what users take only his own. */
  public ClusterView of(String user) {
    List<UserRow> own = users.stream().filter(row -> row.user().equals(user)).toList();
    return new ClusterView(servers, own, quota, ledMs, brake, advice, heardMs);
  }
}
