/** Costs of reading a partition back. */
package dev.sailfish.benchmarks.imerger;
