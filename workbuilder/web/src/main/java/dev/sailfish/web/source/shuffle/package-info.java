/** What the metaserver, and the indexes of chunks, tell of the I-files of jobs. */
package dev.sailfish.web.source.shuffle;
