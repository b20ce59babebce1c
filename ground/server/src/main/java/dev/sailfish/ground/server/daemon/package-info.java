/**
 * What all daemons have in common as processes: {@link
 * dev.sailfish.ground.server.daemon.DaemonMain} starts and ends them, {@link
 * dev.sailfish.ground.server.daemon.DaemonPorts} are the two ports that each of them listens on.
 */
package dev.sailfish.ground.server.daemon;
