/**
 * MapReduce jobs of the bench and the demo. They see Hadoop and the JDK, nothing of Sailfish and
 * nothing of the command that runs them.
 *
 * <pre>
 *   PartitionedSortJob ──▶ SyntheticInputFormat, SyntheticRecords        ┐
 *   PaperWorkloadJob   ──▶ LineInputFormat ──▶ lines                     ├──▶ Check, KeyCheck, Verdict
 *     ├ PageCount, UserVisits, ModelJoin                                 │
 *     └ BehaviorGroups, ClickFilter, SegmentClicks                       ┘
 *         each a LineMapper and a GroupReducer
 * </pre>
 */
package dev.sailfish.benchmarks.jobs.mapreduce;
