/**
 * Looks into chunk files and I-files for people who debug: reads, never changes.
 *
 * <pre>
 *   ChunkFile ◀── ChunkVerifier   is every byte as it should be?
 *             ◀── ChunkDump       what is in it, as far as it can be read
 *   IfileReport                   chunks of a job as the metaserver and the chunkservers tell it
 * </pre>
 */
package dev.sailfish.cli.inspect;
