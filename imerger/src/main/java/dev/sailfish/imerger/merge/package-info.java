/**
 * Merges sorted runs within a memory: a loser tree over {@link dev.sailfish.imerger.merge.RunCursor
 * runs}, and local files for what does not fit side by side. Knows no server but for the key of an
 * encrypted job.
 */
package dev.sailfish.imerger.merge;
