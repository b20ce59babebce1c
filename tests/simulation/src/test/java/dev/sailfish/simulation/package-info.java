/**
 * A whole cluster in one thread's time: metaserver, chunkservers and clients as they are, over a
 * {@linkplain dev.sailfish.simulator simulated} network and clock. {@link
 * dev.sailfish.simulation.SimulationTest} runs schedules and looks at the invariants after each
 * event.
 */
package dev.sailfish.simulation;
