/** What the two ends of the shuffle cost a task that has just started. */
package dev.sailfish.benchmarks.start;
