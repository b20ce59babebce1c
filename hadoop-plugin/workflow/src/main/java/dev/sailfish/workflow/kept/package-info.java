/** I-files that are kept of jobs that have ended: lost outputs are made of them without maps. */
package dev.sailfish.workflow.kept;
