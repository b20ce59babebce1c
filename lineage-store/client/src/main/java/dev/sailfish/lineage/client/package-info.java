/** Clients of the lineage store. */
package dev.sailfish.lineage.client;
