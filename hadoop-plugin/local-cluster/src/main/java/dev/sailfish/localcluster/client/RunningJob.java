package dev.sailfish.localcluster.client;

/**
 * How far a job has come, as its ApplicationMaster tells it.
 *
 * @param id of the job
 * @param mapsDone map tasks that have succeeded
 * @param maps all map tasks
 * @param reducesDone reduce tasks that have succeeded
 * @param reduces all reduce tasks
 * @param plan the job's reduce work in a sentence; empty when there is no plan, or not yet
 * @param readBytes what reduce tasks have read, as it is stored; 0 before the maps are done
 */
public record RunningJob(
    String id, int mapsDone, int maps, int reducesDone, int reduces, String plan, long readBytes) {}
