package dev.sailfish.cli;

/**
 * A sub-command of {@code bin/sailfish} that another module brings, annotated as picocli wants it:
 * named in that module's {@code META-INF/services}, because this one cannot see it.
 */
public interface AddedCommand {}
