/**
 * What the web UI asks: the metaserver, YARN, the job history server, the lineage store and the
 * pages of daemons. Each source has a {@link dev.sailfish.web.source.Source} that says when it
 * answered last, and each wait has a deadline.
 */
package dev.sailfish.web.source;
