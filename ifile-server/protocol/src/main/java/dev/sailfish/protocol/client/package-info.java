/**
 * The client side for tasks and tools: {@link dev.sailfish.protocol.client.Connection} is one
 * socket used by one thread, without background threads and without a framework, because whatever
 * runs inside a task is paid once per task. {@link dev.sailfish.protocol.client.MetaserverClient}
 * and {@link dev.sailfish.protocol.client.ChunkserverClient} are typed over it.
 */
package dev.sailfish.protocol.client;
