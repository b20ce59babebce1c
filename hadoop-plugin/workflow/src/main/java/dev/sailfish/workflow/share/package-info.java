/**
 * With how much of YARN's cluster steps run (section 5.1 of the paper): edge's rules, in terms of
 * YARN's queues, priorities and containers. Functions of what is seen.
 */
package dev.sailfish.workflow.share;
