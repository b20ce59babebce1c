/** What the format costs per record and per byte. */
package dev.sailfish.benchmarks.format;
