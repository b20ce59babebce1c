/** What a worker does with requests. */
package dev.sailfish.lineage.worker.rpc;
