/**
 * What the ApplicationMaster tells the web process of its job: the plan, and what is lost and runs
 * again. Nothing waits for it, and no job fails or takes longer because of it.
 *
 * <pre>
 *   SailfishJobImpl, Planning ── what happens ──▶ JobReporter ── the newest JobReport ──▶ ReportSender
 *                                (JobListener)                                              │ a thread
 *                                                            the web process ◀── ReportPost ┘
 * </pre>
 */
package dev.sailfish.hadoop.am.report;
