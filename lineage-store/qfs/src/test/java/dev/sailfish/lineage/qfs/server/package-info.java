/**
 * The client against a server: every operation against the tests' QFS always, and against a real
 * one when {@code QFS_META=host:port} names it; faults, failover and leases against the tests' one.
 */
package dev.sailfish.lineage.qfs.server;
