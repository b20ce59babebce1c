/**
 * A server's side of Kerberos: its keytab, the users that its realms know, and the tokens that they
 * get. Loaded only where a keytab is configured.
 */
package dev.sailfish.ground.server.kerberos;
