package dev.sailfish.lineage.understore.call;

/**
 * What goes on at one moment.
 *
 * @param running calls on a thread, {@code stuck} ones included
 * @param stuck calls on a thread whose callers have gone at their deadline
 * @param waiting calls that wait for a thread
 * @param threads how many there may be
 */
public record CallUsage(int running, int stuck, int waiting, int threads) {}
