/**
 * The pages in a real browser, of real jobs on real clusters: what is shown is compared with what
 * Hadoop's counters and the stored plans say.
 */
package dev.sailfish.system.web.live;
