package dev.sailfish.web.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.source.Source;
import dev.sailfish.web.source.SourceView;
import dev.sailfish.web.source.servers.Servers;
import dev.sailfish.web.source.shuffle.Metaservers;
import dev.sailfish.web.source.shuffle.ShuffleFacts;
import dev.sailfish.web.source.yarn.AppFacts;
import dev.sailfish.web.source.yarn.JobPages;
import dev.sailfish.web.source.yarn.JobState;
import dev.sailfish.web.source.yarn.ResourceManager;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jboss.logging.Logger;

/**
 * Has all jobs of a {@link JobBook} told what sources know of them. Rounds are asked for by a
 * thread for each source; what one ApplicationMaster answers is read on threads of its own, so that
 * a silent one holds up no other. Thread-safe but for the rounds.
 */
public final class JobWatch implements Closeable {
  private static final Logger LOG = Logger.getLogger(JobWatch.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int THREADS = 4;
  private static final int MOST_ENDED = 1_000;
  private static final long OVERLAP_MS = 10_000;

  /** How often it is kept how far jobs are. */
  private static final long SERIES_MS = 30_000;

  /** Jobs that it is kept of in one round. */
  private static final int MOST_SERIES = 200;

  /** A job that only a report named, and that nobody names any more, goes after so long. */
  private static final long FORGOTTEN_MS = 600_000;

  private final JobBook book;
  private final Sources sources;
  private final Clock clock;
  private final JobReader reader;
  private final Map<String, JobPace> paces = new ConcurrentHashMap<>();
  private final ExecutorService threads;
  private long endedSinceMs; // of the rounds of applications
  private long seriesMs; // of the rounds of jobs

  /**
   * What is asked.
   *
   * @param servers are told of chunkservers
   * @param views the sources that rounds are asked of, for people
   */
  public record Sources(
      Metaservers metaservers,
      Optional<ResourceManager> resourceManager,
      Optional<JobPages> history,
      Servers servers,
      List<Source> views) {}

  /** Asks nothing before its rounds are called. */
  public JobWatch(JobBook book, Sources sources, Clock clock) {
    this.book = book;
    this.sources = sources;
    this.clock = clock;
    this.reader = new JobReader(clock);
    this.threads =
        Executors.newFixedThreadPool(
            THREADS,
            work -> {
              Thread made = new Thread(work, "jobs");
              made.setDaemon(true);
              return made;
            });
  }

  private JobPace pace(Job job) {
    return paces.computeIfAbsent(job.id(), id -> new JobPace());
  }

  // ---- rounds

  /**
   * Asks the ResourceManager for applications, if one is configured.
   *
   * @throws IOException when it does not answer
   */
  public void applications() throws IOException {
    ResourceManager manager = sources.resourceManager().orElse(null);
    if (manager == null) {
      return;
    }
    long began = clock.wallMs();
    Set<String> seen = new HashSet<>();
    for (AppFacts app : manager.living()) {
      seen.add(app.job());
      tell(app);
    }
    for (AppFacts app : manager.endedSince(endedSinceMs, MOST_ENDED)) {
      seen.add(app.job());
      tell(app);
    }
    endedSinceMs = began - OVERLAP_MS;
    for (Job job : book.living()) {
      if (job.isOfYarn() && !job.state().isFinal() && !seen.contains(job.id())) {
        find(manager, job);
      }
    }
  }

  private void tell(AppFacts app) {
    // Who was faster than the job may have had another of its name at the metaserver.
    book.open(app.job(), app.user()).ifPresent(job -> job.tell(app, clock.wallMs()));
  }

  /** It ended between two answers, or the ResourceManager has forgotten it. */
  private void find(ResourceManager manager, Job job) throws IOException {
    Optional<AppFacts> app = manager.find(AppFacts.applicationOf(job.id()));
    if (app.isPresent()) {
      job.tell(app.get(), clock.wallMs());
    } else {
      LOG.debugf("the ResourceManager does not know %s any more", job.id());
      job.tellForgotten();
    }
  }

  /**
   * Asks the metaserver for jobs and their I-files.
   *
   * @throws IOException when none answers
   */
  public void shuffles() throws IOException {
    Set<String> seen = new HashSet<>();
    for (ShuffleFacts facts : sources.metaservers().jobs()) {
      seen.add(facts.id());
      if (facts.kept()) {
        book.living(facts.id()).filter(job -> !job.isOfYarn()).ifPresent(Job::tellGone);
      } else {
        Optional<Job> job = book.open(facts.id());
        if (job.isPresent()) {
          shuffle(job.get(), facts);
        }
      }
    }
    for (Job job : book.living()) {
      boolean unheard = clock.wallMs() - job.heardMs() > FORGOTTEN_MS;
      if (!job.isOfYarn() && !seen.contains(job.id()) && (job.chunksWereSeen() || unheard)) {
        job.tellGone();
      }
    }
  }

  private void shuffle(Job job, ShuffleFacts facts) throws IOException {
    job.tell(facts, clock.wallMs());
    if (pace(job).areIfilesDue(clock.wallMs(), facts.chunks())) {
      sources
          .metaservers()
          .ifiles(facts.id())
          .ifPresent(
              data -> {
                job.tell(data, clock.wallMs());
                sources.servers().saw(data.servers());
              });
    }
  }

  /**
   * Asks ApplicationMasters of jobs that live, and ends jobs that do no more, without waiting for
   * them; now and then it is kept how far jobs are.
   *
   * @throws IOException when it is not kept
   */
  public void jobs() throws IOException {
    for (Job job : book.living()) {
      JobPace pace = pace(job);
      boolean over = job.state().isFinal();
      boolean runs = sources.resourceManager().isPresent() && job.state() == JobState.RUNNING;
      boolean asks = runs && job.isOfYarn() && pace.isMasterDue(clock.wallMs());
      if ((over || asks) && pace.begin()) {
        threads.execute(() -> look(job, pace, over));
      }
    }
    paces.keySet().removeIf(id -> book.living(id).isEmpty());
    if (clock.wallMs() - seriesMs >= SERIES_MS) {
      seriesMs = clock.wallMs();
      keepSeries();
    }
  }

  private void keepSeries() throws IOException {
    int left = MOST_SERIES;
    for (Job job : book.living()) {
      List<JobDetail.Point> series = job.series();
      if (left > 0 && !job.state().isFinal() && pace(job).isSeriesNew(series)) {
        book.archive().keepSeries(job.id(), series, clock.wallMs());
        left--;
      }
    }
  }

  private void look(Job job, JobPace pace, boolean over) {
    try {
      if (over) {
        end(job, pace);
      } else {
        live(job, pace);
      }
    } catch (IOException e) {
      LOG.errorf(
          "job=%s cannot be kept in the history, trying again: %s", job.id(), e.getMessage());
    } catch (RuntimeException e) {
      LOG.errorf(e, "job=%s cannot be looked at, trying again", job.id());
    } finally {
      pace.end();
    }
  }

  private void live(Job job, JobPace pace) {
    JobPages master =
        sources.resourceManager().orElseThrow().applicationMaster(AppFacts.applicationOf(job.id()));
    try {
      reader.live(job, master, pace);
      previous(job);
      pace.master().heard(clock.wallMs());
    } catch (IOException e) {
      pace.master().failed(String.valueOf(e.getMessage()));
    }
  }

  private void previous(Job job) throws IOException {
    if (job.wantsPrevious()) {
      book.archive().previous(job.id(), job.name(), job.user(), job.viewAcl()).ifPresent(job::tell);
    }
  }

  private void end(Job job, JobPace pace) throws IOException {
    boolean told = sources.history().isEmpty() || !job.isOfYarn();
    try {
      told = told || reader.ended(job, sources.history().orElseThrow());
    } catch (IOException e) {
      LOG.debugf("job=%s is not read from the history server: %s", job.id(), e.getMessage());
    }
    if (!told && !pace.isHistoryLate(clock.wallMs())) {
      return;
    }
    keep(job);
  }

  private void keep(Job job) throws IOException {
    previous(job);
    long now = clock.wallMs();
    job.end(now);
    // For all who may see it.
    JobDetail detail = detail(job, false);
    book.close(
        job,
        new Archive.Ended(
            detail.row(),
            detail.cost(),
            json(detail),
            json(new IfilesView(job.ifiles(), job.heardMs())),
            json(job.plan(now))));
  }

  private static String json(Object value) throws JsonProcessingException {
    return JSON.writeValueAsString(value);
  }

  // ---- what is asked

  /**
   * An ApplicationMaster reports of its job.
   *
   * @param id of the job at the metaserver: who has signed for one with a tilde speaks for no other
   */
  public void tell(String id, AmReport report) {
    book.open(id).ifPresent(job -> job.tell(report, clock.wallMs()));
  }

  /**
   * Whether a report of a job, or a later one, is known, or the job has ended.
   *
   * @param id of the job at the metaserver
   * @param attempt of the ApplicationMaster
   */
  public boolean knows(String id, int attempt, long sequence) {
    return book.living(id)
        .map(job -> job.knows(attempt, sequence))
        .orElseGet(() -> book.ended(id).isPresent());
  }

  /**
   * All that is known of a job that lives.
   *
   * @param everything whether errors of sources are shown as they are: they may name other jobs
   */
  public JobDetail detail(Job job, boolean everything) {
    List<SourceView> views = new ArrayList<>();
    for (Source source : sources.views()) {
      views.add(everything ? source.view() : source.view().forUsers());
    }
    if (job.isOfYarn()) {
      views.add(pace(job).master().view());
    }
    String yarn =
        sources
            .resourceManager()
            .filter(manager -> job.isOfYarn())
            .map(manager -> manager.link(AppFacts.applicationOf(job.id())))
            .orElse(null);
    String history =
        sources
            .history()
            .filter(server -> job.state().isFinal())
            .map(server -> server.link(job.id()))
            .orElse(null);
    return job.detail(clock.wallMs(), new JobDetail.Links(yarn, history), views);
  }

  /** Ends what is being asked, and keeps what is known of jobs. */
  @Override
  public void close() throws IOException {
    threads.shutdownNow();
    keepSeries();
    for (Job job : book.living()) {
      if (job.state().isFinal()) {
        keep(job);
      }
    }
  }
}
