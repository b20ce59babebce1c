/**
 * Containers that run task after task of a job in one JVM; docs/WARM-TASKS.md. Hadoop's own parts
 * of the ApplicationMaster go on as they are. To them a container that has done a task looks like
 * one that has ended and another one that the ResourceManager has given:
 *
 * <pre>
 *   RMContainerAllocator ── allocate ──▶ LocalScheduler ── allocate ──▶ ResourceManager
 *                                           │  ▲ idle, ended
 *                                     offers▼  │
 *   TaskAttemptImpl ─ launch, stop ─▶ WarmLauncher ─▶ WarmPool ◀── WarmTaskListener ◀─ JVM asks
 * </pre>
 */
package dev.sailfish.hadoop.am.warm;
