/**
 * Jobs that use what Hadoop's library offers around a shuffle: threads in a map, chains, several
 * inputs and outputs, Avro's serialization. Each has a {@code main} as users' jobs have, and takes
 * Hadoop's generic options.
 */
package dev.sailfish.jobs.library;
