package dev.sailfish.web.job;

/**
 * A job in a list. Times are milliseconds since 1970; what is not known is null.
 *
 * @param state as {@link dev.sailfish.web.source.yarn.JobState}
 * @param mode {@code auto}, {@code fixed}, {@code plug-in} or {@code unknown}: how its reduce work
 *     is made
 * @param appendedBytes before compression; {@code sortedBytes} likewise
 * @param reducedBytes that reduce tasks have fetched
 * @param level {@code ok}, {@code watch} or {@code bad}
 * @param verdict why the job is as it is, a sentence
 * @param heardMs when a source told of the job last
 * @param viewAcl who may see it besides its owner, as {@code mapreduce.job.acl-view-job}
 */
public record JobRow(
    String id,
    String application,
    String name,
    String user,
    String queue,
    String state,
    String mode,
    Integer maps,
    Integer mapsDone,
    Integer reduces,
    Integer reducesDone,
    Long appendedBytes,
    Long sortedBytes,
    Long reducedBytes,
    Long submittedMs,
    Long startedMs,
    Long finishedMs,
    String level,
    String verdict,
    Long heardMs,
    String viewAcl) {}
