/**
 * The plug-ins that put Sailfish under an unchanged Hadoop MapReduce job: {@link
 * dev.sailfish.hadoop.SailfishMapOutputCollector} in map tasks and {@link
 * dev.sailfish.hadoop.SailfishShuffleConsumer} in reduce tasks.
 *
 * <p>This package only adapts. What is sorted, merged, framed or retried is sorted, merged, framed
 * and retried in iappender, imerger and the servers.
 */
package dev.sailfish.hadoop;
