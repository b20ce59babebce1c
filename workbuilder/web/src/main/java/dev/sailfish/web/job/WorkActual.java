package dev.sailfish.web.job;

/** What a reduce task has read; null: not known. */
record WorkActual(Long bytes, Long records) {}
