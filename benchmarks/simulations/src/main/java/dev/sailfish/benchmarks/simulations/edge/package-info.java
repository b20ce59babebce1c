/**
 * Checkpoints and failures of simulated workflows, under the policies of the lineage store as they
 * are: the real classes, a virtual clock, no command line and no file. "The paper" is <i>Reliable,
 * Memory Speed Storage for Cluster Computing Frameworks</i> (UCB/EECS-2014-135).
 *
 * <pre>
 *   Workflow ──▶ WorkflowRun ──▶ Timeline ──▶ recovery times
 *                    │
 *                    ▼
 *             CheckpointPolicy
 * </pre>
 */
package dev.sailfish.benchmarks.simulations.edge;
