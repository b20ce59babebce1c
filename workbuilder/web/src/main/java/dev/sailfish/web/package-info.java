/**
 * The web UI: one process, which shows jobs, the cluster and the store, and changes none of them.
 *
 * <pre>
 *   api ──▶ WebServices ──▶ job, history, report ──▶ source ──▶ metaserver, YARN, lineage master, …
 * </pre>
 */
package dev.sailfish.web;
