/** Runs job jars in client JVMs of their own, as {@code hadoop jar} does. */
package dev.sailfish.localcluster.client;
