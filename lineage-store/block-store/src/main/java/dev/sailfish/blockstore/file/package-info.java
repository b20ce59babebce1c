/**
 * The store's files below their content: what they are called, who holds a directory, the port to
 * the disk.
 */
package dev.sailfish.blockstore.file;
