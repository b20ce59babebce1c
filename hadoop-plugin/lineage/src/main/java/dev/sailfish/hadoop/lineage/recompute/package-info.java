/**
 * A job that runs again because files which it has made are lost: its tasks see a file system in
 * which only those files are written, and nothing else of the store changes.
 */
package dev.sailfish.hadoop.lineage.recompute;
