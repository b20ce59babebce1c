/** The lineage store, asked through its client. */
package dev.sailfish.workflow.store;
