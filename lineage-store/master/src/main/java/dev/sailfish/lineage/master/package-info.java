/**
 * The lineage store's master: the namespace of all files, kept by a journal on one or three of
 * them.
 */
package dev.sailfish.lineage.master;
