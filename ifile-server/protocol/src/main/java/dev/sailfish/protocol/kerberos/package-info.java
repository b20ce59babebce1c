/**
 * Kerberos through the JDK's GSS-API: how a user proves to the metaserver who he is. The only
 * package of the protocol that sees it; loaded when a user asks for a token and by a metaserver
 * that has a keytab, never by a task.
 */
package dev.sailfish.protocol.kerberos;
