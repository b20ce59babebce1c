package dev.sailfish.web.source.servers;

import java.util.List;

/**
 * A server of the cluster, as it is shown. What is not known is null.
 *
 * @param kind {@code metaserver}, {@code chunkserver}, {@code lineage-master}, {@code
 *     lineage-worker}, {@code workflow} or {@code web}
 * @param name what it calls itself
 * @param address {@code host:port} of its service
 * @param web address of its pages
 * @param up whether it has answered the last time
 * @param version of its release
 * @param certificateEndMs when the certificate of its ports ends, in milliseconds since 1970
 * @param heardMs when it last answered, in milliseconds since 1970
 * @param backlogChunks chunks that wait to be sorted
 * @param chunksLeft what it has still to hand over, of one that is drained: chunks, of a lineage
 *     worker blocks and files; 0: it may be stopped
 * @param failing its checks that fail, a sentence each
 */
public record ServerRow(
    String kind,
    String name,
    String address,
    String web,
    String rack,
    boolean up,
    boolean ready,
    boolean leads,
    String version,
    Long certificateEndMs,
    Long heardMs,
    List<Tier> tiers,
    Long backlogChunks,
    Long backlogBytes,
    boolean draining,
    Long chunksLeft,
    List<String> warnings,
    List<String> failing) {}
