/** Calls of something that may hang: on few threads, with deadlines, and no more than may wait. */
package dev.sailfish.lineage.understore.call;
