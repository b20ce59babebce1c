/** {@code sailfish bench qfs}: files in and out of a QFS that runs somewhere. */
package dev.sailfish.benchmarks.jobs.qfs;
