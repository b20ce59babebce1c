/** The order in which STABLE chunks are sorted, and the threads that sort them. */
package dev.sailfish.chunkserver.sort;
