/**
 * What a worker does with the file systems behind the store: copies files there, loads blocks from
 * there. All of it waits, on pools of threads that each mount has of its own. Beside it, blocks
 * that readers have it fetch from other workers, on threads of their own.
 */
package dev.sailfish.lineage.worker.under;
