/**
 * With how much of the cluster lost files are recomputed (section 5.1 of the paper), under the two
 * kinds of schedulers that it treats: {@link dev.sailfish.lineage.edge.resource.PriorityInheritance
 * strict priorities} and {@link dev.sailfish.lineage.edge.resource.ShareTransfer weighted fair
 * sharing}. Functions of a plan and of who waits for which files.
 */
package dev.sailfish.lineage.edge.resource;
