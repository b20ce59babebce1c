/**
 * A service whose state a journal keeps the same on several peers: {@link
 * dev.sailfish.ground.replica.JournalKeys} say where the journal is and who the peers are, {@link
 * dev.sailfish.ground.replica.JournalPeers} is the way between them, and {@link
 * dev.sailfish.ground.replica.Replica} has requests change and read the state.
 */
package dev.sailfish.ground.replica;
