/**
 * What is recomputed when, as a core without I/O, threads or clock:
 *
 * <pre>
 *   RecordStore ──▶ Planning ──▶ edge's RecomputePlan ──▶ Recovery ──▶ Runs ──▶ Steps
 *   (lost files,      ▲ Interest: who waits                 │
 *    records)         │                                     ├──▶ Resources ──▶ Cluster
 *                     └──────── GivingUp ◀──────────────────┘
 * </pre>
 *
 * Everything happens in {@link dev.sailfish.workflow.recovery.Recovery#round rounds}, on one
 * thread. The interfaces are what it needs of the lineage store and of YARN.
 */
package dev.sailfish.workflow.recovery;
