/** Spark on the lineage store. */
package dev.sailfish.system.spark;
