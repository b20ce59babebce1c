/**
 * When the ApplicationMaster calls the ResourceManager: besides each second, as Hadoop's allocator
 * does, a moment after something has happened that an answer is waited for; docs/WARM-TASKS.md.
 */
package dev.sailfish.hadoop.am.heartbeat;
