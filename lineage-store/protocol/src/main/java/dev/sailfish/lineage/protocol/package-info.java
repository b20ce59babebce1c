/**
 * The lineage store's part of the protocol. Its messages are in {@code wire}, made out of {@code
 * lineage.proto}.
 */
package dev.sailfish.lineage.protocol;
