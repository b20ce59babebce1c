package dev.sailfish.web.job;

import dev.sailfish.ground.wire.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * All jobs that are known: those that live, and summaries of those that have ended. Bounded.
 * Thread-safe.
 */
public final class JobBook {
  /** Most jobs that live, and most that have ended, in memory; the archive has more. */
  static final int MOST = 10_000;

  private static final int CHOICES = 1_000;

  private final Archive archive;
  private final Clock clock;
  private final ConcurrentHashMap<String, Job> living = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, JobRow> ended = new ConcurrentHashMap<>();
  // How far jobs were that an earlier process has seen, and that nobody has named yet.
  private final Map<String, List<JobDetail.Point>> earlier = new ConcurrentHashMap<>();

  /**
   * Reads the summaries of the archive.
   *
   * @throws IOException when it cannot be read
   */
  public JobBook(Archive archive, Clock clock) throws IOException {
    this.archive = archive;
    this.clock = clock;
    archive.rows(MOST).forEach(row -> ended.put(row.id(), row));
    earlier.putAll(archive.series());
  }

  /**
   * A job that lives, a new one if it is not known; empty when it has ended, or too many live.
   *
   * @param id {@code job_…} where it is one of YARN's
   */
  public Optional<Job> open(String id) {
    Job known = living.get(id);
    if (known != null) {
      return Optional.of(known);
    }
    return ended.containsKey(id) || living.size() >= MOST
        ? Optional.empty()
        : Optional.of(living.computeIfAbsent(id, this::made));
  }

  /**
   * The same of a job that somebody knows to be of this user: what has ended under its name, and
   * was of another one, is forgotten for it.
   */
  Optional<Job> open(String id, String user) {
    JobRow other = ended.get(id);
    if (other != null && !other.user().equals(user)) {
      ended.remove(id, other);
    }
    return open(id);
  }

  private Job made(String id) {
    Job job = new Job(id);
    List<JobDetail.Point> series = earlier.remove(id);
    if (series != null) {
      job.restore(series);
    }
    return job;
  }

  /** A job that lives, or ended a moment ago. */
  public Optional<Job> living(String id) {
    return Optional.ofNullable(living.get(id));
  }

  /** All jobs that live; as they change. */
  public Collection<Job> living() {
    return living.values();
  }

  /** A job that has ended, if its summary is in memory. */
  public Optional<JobRow> ended(String id) {
    return Optional.ofNullable(ended.get(id));
  }

  /**
   * A job that has ended, also one that the archive alone has; empty: it has not, or nobody knows
   * it.
   *
   * @throws IOException when the archive cannot be read
   */
  public Optional<JobRow> kept(String id) throws IOException {
    JobRow row = ended.get(id);
    return row == null ? archive.row(id) : Optional.of(row);
  }

  /** How many jobs have ended, of those in memory. */
  public int endedCount() {
    return ended.size();
  }

  /** Nobody tells of this job any more, and it is not kept. */
  void drop(Job job) {
    living.remove(job.id(), job);
  }

  /**
   * A job has ended, and is kept.
   *
   * @throws IOException when the archive does not keep it; then it stays among those that live
   */
  void close(Job job, Archive.Ended kept) throws IOException {
    archive.save(kept);
    ended.put(job.id(), kept.row());
    living.remove(job.id(), job);
    if (ended.size() > MOST) {
      ended.values().stream()
          .min(Comparator.comparingLong(JobBook::endMs))
          .map(JobRow::id)
          .ifPresent(ended::remove);
    }
  }

  private static long endMs(JobRow row) {
    return row.finishedMs() == null ? 0 : row.finishedMs();
  }

  /** What the archive keeps. */
  public Archive archive() {
    return archive;
  }

  /**
   * The jobs that a query asks for.
   *
   * @param seen which jobs are there for who asks: nothing in the answer is of others
   * @param heardMs when sources told of jobs last, in milliseconds since 1970; null: not yet
   */
  public JobsPage page(JobQuery query, Predicate<JobRow> seen, Long heardMs) {
    List<JobRow> all = rows().stream().filter(seen).toList();
    List<JobRow> matching = all.stream().filter(query::matches).sorted(query.order()).toList();
    int from = (int) Math.min((long) query.page() * query.size(), matching.size());
    int to = Math.min(from + query.size(), matching.size());
    return new JobsPage(
        matching.subList(from, to),
        matching.size(),
        query.page(),
        query.size(),
        heardMs,
        choices(all, JobRow::user),
        choices(all, JobRow::queue));
  }

  private List<JobRow> rows() {
    long now = clock.wallMs();
    List<JobRow> rows = new ArrayList<>();
    living.values().forEach(job -> rows.add(job.row(now)));
    for (JobRow row : ended.values()) {
      if (!living.containsKey(row.id())) {
        rows.add(row);
      }
    }
    return rows;
  }

  private static List<String> choices(List<JobRow> rows, Function<JobRow, String> part) {
    return rows.stream()
        .map(part)
        .filter(text -> text != null && !text.isEmpty())
        .distinct()
        .sorted()
        .limit(CHOICES)
        .toList();
  }
}
