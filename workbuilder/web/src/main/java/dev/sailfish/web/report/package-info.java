/**
 * What the Sailfish ApplicationMaster of a job tells of it: the plan, decisions and losses. {@link
 * dev.sailfish.web.report.ReportDesk} takes only what bears the job's signature.
 */
package dev.sailfish.web.report;
