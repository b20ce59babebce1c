package dev.sailfish.metaserver;

import dev.sailfish.protocol.wire.PartitionManifest;

/**
 * What a manifest says of one partition.
 *
 * @param blockAttempt attempt that wrote the blocks
 * @param partition as an iappender tells it, with its blocks
 */
record ManifestEntry(int blockAttempt, PartitionManifest partition) {}
