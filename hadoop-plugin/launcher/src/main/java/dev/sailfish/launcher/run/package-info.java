/** Runs jobs from a client JVM of their own, measures them from outside, compares and reports. */
package dev.sailfish.launcher.run;
