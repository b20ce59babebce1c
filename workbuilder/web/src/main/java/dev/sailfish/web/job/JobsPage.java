package dev.sailfish.web.job;

import java.util.List;

/**
 * A page of jobs.
 *
 * @param total how many match
 * @param heardMs when sources told of jobs last, in milliseconds since 1970; null: not yet
 * @param users of all jobs, for a choice; {@code queues} likewise
 */
public record JobsPage(
    List<JobRow> items,
    int total,
    int page,
    int size,
    Long heardMs,
    List<String> users,
    List<String> queues) {}
