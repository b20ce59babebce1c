/** Readers of files that are lost and can be recomputed. */
package dev.sailfish.lineage.client.lost;
