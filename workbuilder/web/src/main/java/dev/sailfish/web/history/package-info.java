/**
 * Jobs that have ended, in a database beside the process. It is bounded in days and bytes; the
 * oldest jobs go first.
 */
package dev.sailfish.web.history;
