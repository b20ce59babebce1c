package dev.sailfish.lineage.master.namespace;

/**
 * A process that holds blocks.
 *
 * @param number names it among all workers of any time; one that registers again gets a new one
 * @param id what it calls itself, over restarts too
 * @param host where clients find it
 * @param port of its service
 */
public record Worker(int number, long id, String host, int port) {}
