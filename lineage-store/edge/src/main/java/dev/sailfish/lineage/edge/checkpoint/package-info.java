/**
 * The order in which complete files are checkpointed in the background (section 4 of the paper).
 *
 * <pre>
 *   CheckpointPolicy ◀── EdgePolicy ──▶ LineageGraph ──▶ FileTable, DependencyTable
 *          ▲                 ├──▶ WaitingLists      the edge, the next one, and the rest
 *          │                 ├──▶ HotFiles          files that are read often
 *          │                 ├──▶ EdgeShare         whose turn it is
 *          │                 └──▶ Patience          whether a better file comes soon
 *          └── ArrivalOrder   creation order, latest first, fixed interval: for comparison
 * </pre>
 *
 * <p><b>Memory.</b> A file costs {@link EdgePolicy} 44 bytes of a table and 6 to 12 bytes of the
 * index of its id. A dependency costs about 100 bytes and 4 for each input, and while its job runs
 * 4 to 8 for each output.
 */
package dev.sailfish.lineage.edge.checkpoint;
