/**
 * A command of the operating system, with files of the store under local names: run for the first
 * time at a terminal, and again in a container of YARN (section 3.7 of the paper's report).
 */
package dev.sailfish.hadoop.lineage.command;
