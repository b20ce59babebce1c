/** What compressing and checking a block costs. */
package dev.sailfish.benchmarks.codec;
