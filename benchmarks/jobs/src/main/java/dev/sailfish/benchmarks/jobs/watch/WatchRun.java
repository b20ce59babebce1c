package dev.sailfish.benchmarks.jobs.watch;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * One stretch of a job that lives. CPU is in percent of a core.
 *
 * @param watchers how many clients listened; {@link #NO_WEB}: there was no web process
 * @param round from 1
 * @param seconds how long it was looked at
 * @param masterPercent CPU of the job's ApplicationMaster
 * @param metaserverPercent CPU of the metaserver, or of all together
 * @param resourceManagerPercent CPU of the ResourceManager, whose proxy passes on what the
 *     ApplicationMaster is asked
 * @param webPercent CPU of the web process
 * @param webRssMb MiB of memory that the web process had at the end
 * @param webHeapMb MiB of its heap in use at the end, rubbish too
 * @param leastEvents what the client heard that heard least
 * @param events what all heard
 * @param valid whether the job lived all the time, and each client heard something
 */
public record WatchRun(
    String watchers,
    int round,
    double seconds,
    @JsonProperty("am_percent") double masterPercent,
    @JsonProperty("metaserver_percent") double metaserverPercent,
    @JsonProperty("rm_percent") double resourceManagerPercent,
    @JsonProperty("web_percent") double webPercent,
    @JsonProperty("web_rss_mb") double webRssMb,
    @JsonProperty("web_heap_mb") double webHeapMb,
    @JsonProperty("least_events") int leastEvents,
    int events,
    boolean valid) {
  /** Names of fields for a table. */
  public static final String COLUMNS =
      "watchers round seconds am_percent metaserver_percent rm_percent web_percent web_rss_mb"
          + " web_heap_mb least_events valid";

  /** Who watches when there is no web process. */
  public static final String NO_WEB = "no-web";

  /** Whether there was a web process. */
  public boolean hasWeb() {
    return !watchers.equals(NO_WEB);
  }

  /** What the job's own daemons used: ApplicationMaster and metaserver. */
  public double watchedPercent() {
    return masterPercent + metaserverPercent;
  }
}
