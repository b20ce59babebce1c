/**
 * The daemon that binds appenders to chunks and knows where chunks are.
 *
 * <p>{@link dev.sailfish.metaserver.state.MetaserverState} is the core: one object, no I/O, no
 * clock, no thread; every change goes through one of its methods, and the same calls always give
 * the same state. {@link dev.sailfish.metaserver.Metaserver} puts what drives it together: sockets,
 * time, racks, the ResourceManager; and a {@link dev.sailfish.ground.journal.Journal} keeps the
 * changes, here and on peers.
 */
package dev.sailfish.metaserver;
