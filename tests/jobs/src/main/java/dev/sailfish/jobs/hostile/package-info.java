/**
 * A job whose tasks do to their JVM what a task should not do, and say what they found there: for
 * tests of what one task sees of another.
 */
package dev.sailfish.jobs.hostile;
