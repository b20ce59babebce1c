/**
 * A client of QFS in Java alone: files and directories of a metaserver, and their chunks on
 * chunkservers, over plain sockets.
 *
 * <pre>
 *   QfsClient ── meta/MetaClient ───────────── metaserver (the one that leads)
 *       │            names, layouts, leases
 *       ├──── read/QfsInput ──┐
 *       └──── write/QfsOutput ┴─ wire/Connection ── chunkservers
 * </pre>
 */
package dev.sailfish.lineage.qfs;
