package dev.sailfish.web.source.servers;

/** What one user's jobs may take together; 0: there is no limit. */
public record Quota(long ifiles, long bytes) {}
