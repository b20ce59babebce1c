/** Reads and writes single blocks: in the worker's file on the same host, or over the network. */
package dev.sailfish.lineage.client.block;
