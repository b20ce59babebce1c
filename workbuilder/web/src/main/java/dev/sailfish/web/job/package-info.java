/**
 * Jobs as they are shown: what sources tell is put together in a {@link dev.sailfish.web.job.Job},
 * and what follows from it – phases, stragglers, the verdict – is made by functions without I/O.
 */
package dev.sailfish.web.job;
