/** YARN, asked through its client and through that of MapReduce. */
package dev.sailfish.workflow.yarn;
