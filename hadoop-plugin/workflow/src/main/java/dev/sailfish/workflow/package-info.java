/**
 * The workflow manager: plans what has to be recomputed when files of the lineage store are lost,
 * and runs it as applications of YARN, for the users whose files they are.
 */
package dev.sailfish.workflow;
