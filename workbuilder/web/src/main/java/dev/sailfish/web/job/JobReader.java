package dev.sailfish.web.job;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.web.source.yarn.JobFacts;
import dev.sailfish.web.source.yarn.JobPages;
import dev.sailfish.web.source.yarn.TaskFacts;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Has a job told what its ApplicationMaster, or the history server, knows. Thread-safe. */
final class JobReader {
  private static final String BYTES = "READ_BYTES";
  private static final String FETCHED = "REDUCE_SHUFFLE_BYTES";
  private static final String RECORDS = "REDUCE_INPUT_RECORDS";
  private static final int ACTUALS_AT_ONCE = 20;
  private static final int MOST_ACTUALS = 512;
  private static final int ATTEMPTS_AT_ONCE = 5;

  private final Clock clock;

  JobReader(Clock clock) {
    this.clock = clock;
  }

  /**
   * Of a job that lives.
   *
   * @param pace says what is asked for now
   */
  void live(Job job, JobPages master, JobPace pace) throws IOException {
    Optional<JobFacts> facts = master.job(job.id());
    if (facts.isEmpty()) {
      throw new IOException("its ApplicationMaster does not serve yet, or no more");
    }
    job.tell(facts.get(), clock.wallMs());
    if (pace.areCountersDue(clock.wallMs())) {
      job.tellCounters(master.counters(job.id()), clock.wallMs());
    }
    // They may be too many to be read.
    if (pace.areTasksDue(clock.wallMs(), job.tasks().size())) {
      job.tellTasks(master.tasks(job.id()), clock.wallMs());
    }
    if (pace.areActualsDue(clock.wallMs())) {
      configuration(job, master);
      actuals(job, master, ACTUALS_AT_ONCE);
      attempts(job, master, ATTEMPTS_AT_ONCE);
    }
  }

  /**
   * Of a job that has ended.
   *
   * @return whether the history server knows it
   */
  boolean ended(Job job, JobPages history) throws IOException {
    Optional<JobFacts> facts = history.job(job.id());
    if (facts.isEmpty()) {
      return false;
    }
    job.tell(facts.get(), clock.wallMs());
    job.tellCounters(history.counters(job.id()), clock.wallMs());
    job.tellTasks(history.tasks(job.id()), clock.wallMs());
    configuration(job, history);
    actuals(job, history, MOST_ACTUALS);
    attempts(job, history, 2 * Stragglers.MOST);
    return true;
  }

  /** It is long, and asked for until it is there, which takes one answer. */
  private void configuration(Job job, JobPages pages) throws IOException {
    if (job.wantsConfiguration(clock.wallMs())) {
      pages.configuration(job.id()).ifPresent(job::tell);
    }
  }

  private static void actuals(Job job, JobPages pages, int most) throws IOException {
    List<TaskFacts> unread = job.unread();
    for (TaskFacts task : unread.subList(0, Math.min(most, unread.size()))) {
      Map<String, Long> counters = pages.taskCounters(job.id(), task.id());
      if (!counters.isEmpty()) {
        job.tellActual(
            task.number(),
            new WorkActual(counters.get(BYTES), counters.get(FETCHED), counters.get(RECORDS)));
      }
    }
  }

  private void attempts(Job job, JobPages pages, int most) throws IOException {
    List<String> unplaced = job.unplaced(clock.wallMs());
    for (String task : unplaced.subList(0, Math.min(most, unplaced.size()))) {
      pages.lastAttempt(job.id(), task).ifPresent(attempt -> job.tell(task, attempt));
    }
  }
}
