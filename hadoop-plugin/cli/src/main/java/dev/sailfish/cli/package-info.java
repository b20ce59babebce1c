/**
 * The command {@code bin/sailfish}: one class per sub-command, and in {@code inspect} what looks
 * into chunks and I-files. Benchmarks and the demo add their own ({@link
 * dev.sailfish.cli.AddedCommand}).
 */
package dev.sailfish.cli;
