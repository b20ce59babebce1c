/**
 * MapReduce jobs of the bench and the demo. They see Hadoop and the JDK, nothing of Sailfish and
 * nothing of the launcher.
 */
package dev.sailfish.launcher.job;
