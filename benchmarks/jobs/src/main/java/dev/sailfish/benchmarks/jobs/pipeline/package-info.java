/** Jobs that read what others wrote, in storages that lose files; and what lineage costs them. */
package dev.sailfish.benchmarks.jobs.pipeline;
