/**
 * The leader's way to under stores: it looks below before it answers what is asked of paths under a
 * mount, and moves and deletes below what a change moves and deletes. What it sees goes through the
 * journal into the tree; all that is here may be lost with the leader.
 */
package dev.sailfish.lineage.master.under;
