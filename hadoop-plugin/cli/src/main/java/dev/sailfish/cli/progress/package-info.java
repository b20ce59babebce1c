/**
 * How far a job has come, shown while {@code bin/sailfish jar} waits for it.
 *
 * <pre>
 *   JobProgress ──▶ RunningJobs (YARN), IfileProgress (metaserver)     asked every second
 *               ──▶ ProgressText                                        figures as a line
 *               ──▶ Screen: LiveLine on a terminal, else PlainLines
 * </pre>
 */
package dev.sailfish.cli.progress;
