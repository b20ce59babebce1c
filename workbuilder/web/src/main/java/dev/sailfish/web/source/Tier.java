package dev.sailfish.web.source;

/** A tier of a server's block store. */
public record Tier(String name, long usedBytes, long capacityBytes) {}
