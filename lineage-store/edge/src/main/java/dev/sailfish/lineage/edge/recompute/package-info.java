/**
 * What is recomputed when files are lost, and in which order (section 5.2 of the paper).
 *
 * <pre>
 *   RecoveryModel, TemporaryFiles    which lost files are wanted
 *        │
 *        ▼
 *   RecomputePlanner ──▶ RecomputePlan of RecomputeSteps, and files that are LOST for ever
 *        ▲                    │
 *     Lineage                 ▼
 *                        Recomputation      what is ready, runs, waits for its next attempt
 * </pre>
 */
package dev.sailfish.lineage.edge.recompute;
