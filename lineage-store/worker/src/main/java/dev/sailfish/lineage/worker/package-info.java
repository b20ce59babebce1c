/**
 * A worker of the lineage store: holds blocks of files in memory and on disks of its node, gives
 * them to readers, and tells the master which it has.
 *
 * <pre>
 *   LineageWorker ──▶ rpc.WorkerHandler ──▶ block.BlockTable ──▶ block store
 *        ├──▶ MasterLink                       ├──▶ block.Changes     what the master is to hear
 *        └──▶ block.Scrubber, block.Evictor ───┘
 * </pre>
 */
package dev.sailfish.lineage.worker;
