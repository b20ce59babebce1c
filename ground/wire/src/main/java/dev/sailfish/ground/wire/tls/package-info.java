/**
 * TLS under the protocol, with keys and trusted certificates where Hadoop's ssl-server.xml and
 * ssl-client.xml say they are. Nothing here, and no class of the JDK's TLS, is loaded where TLS is
 * not asked for.
 */
package dev.sailfish.ground.wire.tls;
