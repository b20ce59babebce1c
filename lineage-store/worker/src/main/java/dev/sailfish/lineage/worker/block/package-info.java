/**
 * The blocks that a worker holds: begun, written, sealed, moved between tiers, checked, deleted.
 */
package dev.sailfish.lineage.worker.block;
