/** Storage that benchmarks compare: its daemons, and client processes of it. */
package dev.sailfish.benchmarks.jobs.storage;
