package dev.sailfish.web.source.yarn;

/**
 * A counter of a job.
 *
 * @param group that it is in
 * @param map sum over all maps
 * @param reduce sum over all reduce tasks
 * @param total sum over all tasks
 */
public record CounterFacts(String group, String name, long map, long reduce, long total) {}
