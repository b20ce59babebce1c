/**
 * Clients of I-file servers, for tasks, tools and daemons: {@link
 * dev.sailfish.protocol.client.MetaserverClient} and {@link
 * dev.sailfish.protocol.client.ChunkserverClient}.
 */
package dev.sailfish.protocol.client;
