/**
 * Where a plan's data comes from: {@link dev.sailfish.workbuilder.collect.PlanReader} asks the
 * metaserver for what the winners wrote and the chunkservers for where the keys of large partitions
 * are. docs/WORKBUILDER.md has which requests these are.
 */
package dev.sailfish.workbuilder.collect;
