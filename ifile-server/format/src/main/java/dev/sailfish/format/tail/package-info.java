/**
 * What stands at the end of a sorted chunk: the index of its blocks, the sources they came from,
 * the footer; and the summaries that are made of it.
 */
package dev.sailfish.format.tail;
