/**
 * The job's view of its intermediate data: which attempt of each map task counts ({@link
 * dev.sailfish.workbuilder.MapWinners}). Deciding reduce work from indexes and manifests ({@link
 * dev.sailfish.workbuilder.plan}) builds on it. Pure state: no I/O, no clock, no threads.
 */
package dev.sailfish.workbuilder;
