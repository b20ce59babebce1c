/**
 * Virtual time, a network, disks and processes for whole services in one thread's time, as they
 * are: what they do with the network and the time goes through a {@link
 * dev.sailfish.ground.wire.Network}, a timer and the {@linkplain
 * dev.sailfish.ground.server.frame.SimulatedConnection connections of their servers}. {@link
 * dev.sailfish.simulator.Scheduler} decides what happens next, from a seed alone, and has
 * invariants looked at after each event. It knows no service.
 *
 * <p>Nothing here is thread-safe: all of it is called within events, by the holder of the {@link
 * dev.sailfish.simulator.Actor baton}.
 */
package dev.sailfish.simulator;
