package dev.sailfish.web.source.servers;

/** What the jobs of a user take at the metaserver; {@code kept} are those that have ended. */
public record UserRow(String user, long jobs, long kept, long ifiles, long bytes) {}
