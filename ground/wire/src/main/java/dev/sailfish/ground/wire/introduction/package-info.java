/**
 * How a task tells its job's key to the servers that admit jobs and to nobody else: a box that only
 * who has their private key can open. The only package of {@code wire} that sees the JDK's ciphers;
 * tasks load it when they have to introduce their job.
 */
package dev.sailfish.ground.wire.introduction;
