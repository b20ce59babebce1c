/**
 * The command {@code bin/sailfish}: one class per sub-command, what they have in common in the
 * packages below it.
 *
 * <pre>
 *   Sailfish ── StartCommand StopCommand StatusCommand ──▶ cluster   processes of the local cluster
 *            ── JarCommand BenchCommand DemoCommand    ──▶ run       job clients, measurements, reports
 *                                                          job       MapReduce jobs: Hadoop's class path only
 * </pre>
 *
 * <p>The launcher's own JVM never loads a Hadoop class, and the classes in {@code job} never load
 * anything but Hadoop's: jobs run in a client JVM that has only Hadoop's jars and configuration on
 * its class path, like {@code hadoop jar}.
 */
package dev.sailfish.launcher;
