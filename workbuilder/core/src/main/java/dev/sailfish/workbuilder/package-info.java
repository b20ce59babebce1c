/**
 * The job's view of its intermediate data: which attempt of each map task counts ({@link
 * dev.sailfish.workbuilder.MapWinners}): pure state, without I/O, clock or threads. Its reduce work
 * is decided ({@link dev.sailfish.workbuilder.plan}) from what servers tell of these attempts'
 * output ({@link dev.sailfish.workbuilder.collect}).
 */
package dev.sailfish.workbuilder;
