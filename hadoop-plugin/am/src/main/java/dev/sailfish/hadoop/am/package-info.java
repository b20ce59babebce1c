/**
 * The Sailfish ApplicationMaster: stock's, with reduce tasks that are made from a plan of the data,
 * and with loss of map output handled by who knows of it. docs/APPLICATION-MASTER.md tells how it
 * is chosen.
 *
 * <pre>
 *   SailfishAppMaster ── makes ──▶ SailfishJobImpl ── all maps done ──▶ Planning ──▶ PlanFile
 *                                       ▲                                  │ plan
 *                                       └──────────── PlanMade ◀───────────┘
 *                                       │ a reduce task for each work
 *                                       ▼
 *                       WorkTask ▶ WorkTaskAttempt ▶ RemoteWorkTask, which brings the work
 * </pre>
 */
package dev.sailfish.hadoop.am;
