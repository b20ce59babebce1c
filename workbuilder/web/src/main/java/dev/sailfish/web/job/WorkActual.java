package dev.sailfish.web.job;

/**
 * What a reduce task has read; null: not known.
 *
 * @param bytes of records, with two for each header
 * @param fetchedBytes that came from servers: compressed, with the headers of blocks
 */
record WorkActual(Long bytes, Long fetchedBytes, Long records) {}
