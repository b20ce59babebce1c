/**
 * Kerberos through the JDK's GSS-API: how a user proves to a server who he is. The only package of
 * {@code wire} that sees it; loaded when a user asks for a token and by a server that has a keytab,
 * never by a task.
 */
package dev.sailfish.ground.wire.kerberos;
