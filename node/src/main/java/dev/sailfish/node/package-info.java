/**
 * A chunkserver and a lineage worker in one process, on one block store. Each has its ports, its
 * web pages and its metrics, as in a process of its own; memory and disks are common.
 */
package dev.sailfish.node;
