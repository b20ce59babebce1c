/**
 * How the reduce work of a job is made of its data: {@link
 * dev.sailfish.workbuilder.plan.ReducePlanner} is a function from what manifests and indexes tell
 * ({@link dev.sailfish.workbuilder.plan.PartitionData}) to a {@link
 * dev.sailfish.workbuilder.plan.ReducePlan}. No I/O, no clock, no threads, no randomness. Bytes are
 * bytes of blocks before compression throughout. docs/WORKBUILDER.md has a picture.
 */
package dev.sailfish.workbuilder.plan;
