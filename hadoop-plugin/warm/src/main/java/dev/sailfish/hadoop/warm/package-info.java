/**
 * A task's JVM that runs one attempt after another of the same job: what {@code YarnChild} of
 * Hadoop does once per process is done here per process or per attempt, and what an attempt has
 * changed in the JVM is put back before the next one. docs/WARM-TASKS.md tells what that covers.
 *
 * <pre>
 *   SailfishChild ──▶ WarmChild ── asks the ApplicationMaster for attempts ──▶ ends when told so
 *                        │                                                        ▲
 *                        ├─▶ Attempt: own thread, user, configuration, loader     │ what is left
 *                        └─▶ after it: put back, close, look ─────────────────────┘
 * </pre>
 */
package dev.sailfish.hadoop.warm;
