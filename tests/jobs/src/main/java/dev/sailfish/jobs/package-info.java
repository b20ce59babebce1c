/**
 * MapReduce jobs for tests: a random job is wholly determined by a seed ({@link
 * dev.sailfish.jobs.RandomJobSpec}) and writes output that must be the same bytes under any correct
 * shuffle. Nothing here knows Sailfish: these classes are a user's job jar.
 */
package dev.sailfish.jobs;
