/**
 * How the servers of the cluster are, and what an operator should do: {@link
 * dev.sailfish.web.source.servers.Servers} asks them, what is shown is made without I/O.
 */
package dev.sailfish.web.source.servers;
