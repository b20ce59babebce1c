package dev.sailfish.cli.progress;

/**
 * How far a job's I-files are.
 *
 * @param appendedBytes what maps have written that are done, before compression
 * @param chunks of the job
 * @param sorted how many of them are SORTED; negative: there are too many to look at each
 */
record IfileFigures(long appendedBytes, int chunks, int sorted) {}
