/**
 * Delegation tokens of the metaserver: what a user with Kerberos gets at the submission of a job,
 * so that its tasks can say on whose behalf they run.
 */
package dev.sailfish.protocol.token;
