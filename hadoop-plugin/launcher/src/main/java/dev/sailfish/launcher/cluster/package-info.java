/**
 * The local cluster: Hadoop's and Sailfish's daemons as processes of their own on the loopback
 * address.
 */
package dev.sailfish.launcher.cluster;
