package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.understore.hadoop.UnderStores;
import java.util.concurrent.Executor;

/**
 * What all work below needs.
 *
 * @param master is asked where files are
 * @param lookups threads that wait for the master
 * @param pools threads that wait for under stores
 * @param stores what is mounted, as it is used here
 * @param clock by which things are silent for too long
 */
record UnderAccess(
    MasterCalls master, Executor lookups, MountPools pools, UnderStores stores, Clock clock) {}
