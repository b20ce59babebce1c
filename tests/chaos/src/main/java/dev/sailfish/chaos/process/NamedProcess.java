package dev.sailfish.chaos.process;

/**
 * A process that may be struck.
 *
 * @param name what the report calls it
 */
public record NamedProcess(String name, RunningProcess process) {}
