/**
 * Who asks, and what he may see. {@link dev.sailfish.web.rights.Rights} finds out who it is, by a
 * token, a Kerberos ticket or a cookie, and decides by the lists that YARN has.
 */
package dev.sailfish.web.rights;
