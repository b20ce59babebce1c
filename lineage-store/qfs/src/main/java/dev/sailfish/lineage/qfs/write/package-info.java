/**
 * Writing files: chunk after chunk, each over a chain of servers, several operations in flight, and
 * sent again to new servers when one of the chain fails.
 */
package dev.sailfish.lineage.qfs.write;
