package dev.sailfish.workflow.share;

/**
 * With what a step runs.
 *
 * @param queue of YARN; empty: that of the record
 * @param priority of its application
 * @param tasks how many may run at once; 0: as many as YARN gives
 */
public record Allotment(String queue, int priority, int tasks) {}
