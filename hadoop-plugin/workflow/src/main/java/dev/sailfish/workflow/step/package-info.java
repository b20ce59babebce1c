/** One step of a recompute: a record's program runs again, as an application of YARN. */
package dev.sailfish.workflow.step;
