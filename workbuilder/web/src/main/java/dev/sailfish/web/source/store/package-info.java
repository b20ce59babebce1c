/** What the masters of the lineage store tell of it, its files and what was made of which. */
package dev.sailfish.web.source.store;
