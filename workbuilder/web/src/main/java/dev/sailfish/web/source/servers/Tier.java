package dev.sailfish.web.source.servers;

/** A tier of a server's block store. */
public record Tier(String name, long usedBytes, long capacityBytes) {}
