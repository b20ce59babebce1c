package dev.sailfish.metaserver.manifest;

import dev.sailfish.protocol.wire.PartitionManifest;

/**
 * What a manifest says of one partition.
 *
 * @param blockAttempt attempt that wrote the blocks
 * @param partition as an iappender tells it, with its blocks
 */
public record ManifestEntry(int blockAttempt, PartitionManifest partition) {}
