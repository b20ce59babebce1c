/** How the JVMs of tasks are started, by what they are likely to do; docs/WARM-TASKS.md. */
package dev.sailfish.hadoop.am.launch;
