/**
 * A cluster of processes on this machine: Hadoop's and Sailfish's daemons, what they use, and in
 * {@code client} the clients of jobs on it.
 *
 * <p>This JVM never loads a Hadoop class: daemons and job clients run in JVMs of their own that
 * have only Hadoop's jars and configuration on their class path, like {@code hadoop jar}.
 */
package dev.sailfish.localcluster;
