/** A file into a QFS and out of it, by several clients in turn. */
package dev.sailfish.benchmarks.store.qfs;
