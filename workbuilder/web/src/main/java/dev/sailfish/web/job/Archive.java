package dev.sailfish.web.job;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Keeps jobs that have ended. Thread-safe. */
public interface Archive {
  /** What is kept of a job, each as JSON. */
  enum Document {
    /** A {@link JobDetail}. */
    DETAIL,
    /** An {@link IfilesView}. */
    IFILES,
    /** A {@link PlanView}. */
    PLAN
  }

  /**
   * A job that has ended.
   *
   * @param detail JSON, as {@code ifiles} and {@code plan}
   */
  record Ended(JobRow row, JobDetail.Cost cost, String detail, String ifiles, String plan) {}

  /**
   * Keeps a job, in the place of what is kept of it already.
   *
   * @throws IOException when it is not kept
   */
  void save(Ended job) throws IOException;

  /**
   * Keeps how far a job that lives was when, in the place of what is kept; it goes when the job is
   * saved. Of all jobs those that were kept last stay.
   *
   * @param nowMs milliseconds since 1970
   * @throws IOException when it is not kept
   */
  void keepSeries(String job, List<JobDetail.Point> series, long nowMs) throws IOException;

  /**
   * What is kept of jobs that live, by job.
   *
   * @throws IOException when it cannot be read
   */
  Map<String, List<JobDetail.Point>> series() throws IOException;

  /**
   * What is kept of a job; empty: nothing is.
   *
   * @throws IOException when it cannot be read
   */
  Optional<String> document(String job, Document document) throws IOException;

  /**
   * The jobs that ended last, the last one first.
   *
   * @param most how many
   * @throws IOException when they cannot be read
   */
  List<JobRow> rows(int most) throws IOException;

  /**
   * The summary of a job; empty: it is not kept.
   *
   * @throws IOException when it cannot be read
   */
  Optional<JobRow> row(String job) throws IOException;

  /**
   * The job of this name and user that succeeded last, and that the same people may see; empty:
   * none is kept.
   *
   * @param job another one than this
   * @param viewAcl of both; may be null
   * @throws IOException when it cannot be read
   */
  Optional<JobDetail.Previous> previous(String job, String name, String user, String viewAcl)
      throws IOException;
}
