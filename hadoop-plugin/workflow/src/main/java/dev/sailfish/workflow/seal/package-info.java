/** Lineage records of jobs that have ended are sealed: they get no more outputs. */
package dev.sailfish.workflow.seal;
