package dev.sailfish.web;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.web.history.History;
import dev.sailfish.web.job.Job;
import dev.sailfish.web.job.JobBook;
import dev.sailfish.web.job.JobQuery;
import dev.sailfish.web.job.JobRow;
import dev.sailfish.web.job.JobWatch;
import dev.sailfish.web.job.JobsPage;
import dev.sailfish.web.report.AmReport;
import dev.sailfish.web.report.LastReport;
import dev.sailfish.web.report.ReportDesk;
import dev.sailfish.web.rights.Rights;
import dev.sailfish.web.rights.Tickets;
import dev.sailfish.web.rights.Viewer;
import dev.sailfish.web.source.JsonPages;
import dev.sailfish.web.source.Negotiator;
import dev.sailfish.web.source.Poll;
import dev.sailfish.web.source.Reach;
import dev.sailfish.web.source.Source;
import dev.sailfish.web.source.SourceView;
import dev.sailfish.web.source.servers.ClusterView;
import dev.sailfish.web.source.servers.Servers;
import dev.sailfish.web.source.shuffle.Indexes;
import dev.sailfish.web.source.shuffle.Metaservers;
import dev.sailfish.web.source.store.Store;
import dev.sailfish.web.source.store.StoreView;
import dev.sailfish.web.source.yarn.JobPages;
import dev.sailfish.web.source.yarn.ResourceManager;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * All that the process does besides serving: it asks sources and keeps what they tell. Made by one
 * thread, then thread-safe.
 */
public final class WebServices implements Closeable {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration JOBS = Duration.ofSeconds(1);
  private static final Duration APPLICATIONS = Duration.ofSeconds(2);
  private static final Duration CLUSTER = Duration.ofSeconds(3);
  private static final Duration PRUNING = Duration.ofMinutes(10);

  private final Clock clock = Network.SOCKETS;
  private final List<Source> sources = new CopyOnWriteArrayList<>();
  private final List<Source> sourcesOfJobs = new CopyOnWriteArrayList<>();
  private final List<Closeable> open = new ArrayList<>();
  private final History history;
  private final JobBook book;
  private final JobWatch watch;
  private final Indexes indexes;
  private final Servers servers;
  private final Optional<Store> store;
  private final ReportDesk reports;
  private final Rights rights;
  private final Optional<TlsContext> tls;

  /**
   * Opens the history, and asks nothing yet.
   *
   * @throws IOException naming the file or directory that cannot be used
   */
  public WebServices(WebSettings settings) throws IOException {
    rights = closing(new Rights(settings.rights(), clock));
    tls = settings.serverTls();
    history = History.open(settings.historyDir(), settings.historyDays(), settings.historyBytes());
    open.add(history);
    history.prune(clock.wallMs());
    Reach reach = new Reach(settings.network(), settings.credentials(), PATIENCE);
    Metaservers polled = closing(new Metaservers(settings.metaservers(), reach));
    // Of its own for what people ask for: they do not wait for a round, nor a round for them.
    Metaservers asked = closing(new Metaservers(settings.metaservers(), reach));
    indexes = new Indexes(asked, reach);
    reports = new ReportDesk(asked::accessKey, settings.isOpen(), this::report, this::knows);
    Optional<TlsContext> trusted = settings.clientTls();
    String scheme = settings.isTls() ? "https://localhost:0" : "http://localhost:0";
    JsonPages daemons =
        new JsonPages(new JsonPages.Place(scheme, trusted, settings.daemonsToken()), PATIENCE);
    servers =
        closing(new Servers(settings.metaservers(), settings.daemons(), reach, daemons, clock));
    book = new JobBook(history, clock);
    Optional<Negotiator> self = settings.kerberos().map(known -> new Tickets(known, clock));
    watch =
        closing(
            new JobWatch(
                book,
                new JobWatch.Sources(
                    polled,
                    settings
                        .resourceManager()
                        .map(base -> new ResourceManager(pages(base, trusted, self))),
                    settings
                        .historyServer()
                        .map(base -> JobPages.ofHistory(pages(base, trusted, self))),
                    servers,
                    sourcesOfJobs),
                clock));
    store =
        settings.lineageMasters().isEmpty()
            ? Optional.empty()
            : Optional.of(closing(new Store(settings.lineageMasters(), reach, clock)));
    start(settings);
  }

  private static JsonPages pages(
      String base, Optional<TlsContext> trusted, Optional<Negotiator> self) {
    return new JsonPages(new JsonPages.Place(base, trusted, Optional.empty(), self), PATIENCE);
  }

  private <T extends Closeable> T closing(T service) {
    open.add(0, service);
    return service;
  }

  private void report(String job, AmReport report) {
    watch.tell(job, report);
  }

  private boolean knows(String job, LastReport last) {
    return watch.knows(job, last.attempt(), last.sequence());
  }

  private void start(WebSettings settings) {
    sourcesOfJobs.add(poll("metaserver", JOBS, watch::shuffles));
    if (settings.resourceManager().isPresent()) {
      sourcesOfJobs.add(poll("resourcemanager", APPLICATIONS, watch::applications));
    }
    poll("servers", CLUSTER, servers::round);
    store.ifPresent(masters -> poll("lineage master", CLUSTER, masters::round));
    // Not sources themselves: what they ask says how it is by itself.
    closing(new Poll(new Source("jobs"), clock, JOBS, watch::jobs));
    closing(new Poll(new Source("history"), clock, PRUNING, () -> history.prune(clock.wallMs())));
  }

  private Source poll(String name, Duration period, Poll.Round round) {
    Source source = new Source(name);
    sources.add(source);
    closing(new Poll(source, clock, period, round));
    return source;
  }

  /** By which times are told. */
  public Clock clock() {
    return clock;
  }

  /** The jobs that a query asks for, of those that who asks may see. */
  public JobsPage page(JobQuery query, Viewer viewer) {
    Long heard =
        sourcesOfJobs.stream()
            .map(source -> source.view().heardMs())
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElse(null);
    return book.page(query, row -> maySee(viewer, row), heard);
  }

  /** All jobs. */
  public JobBook book() {
    return book;
  }

  /** What has jobs told. */
  public JobWatch watch() {
    return watch;
  }

  /** Indexes of sorted chunks. */
  public Indexes indexes() {
    return indexes;
  }

  /** The servers of the cluster. */
  public Servers servers() {
    return servers;
  }

  /** The lineage store, if one is configured. */
  public Optional<Store> store() {
    return store;
  }

  /** The lineage store as the last round found it, as somebody may see it. */
  public StoreView storeView(Viewer viewer) {
    StoreView view = store.map(Store::view).orElse(StoreView.empty(false));
    return viewer.everything() ? view : view.forUsers();
  }

  /** Where reports of ApplicationMasters go. */
  public ReportDesk reports() {
    return reports;
  }

  /** Who may see what. */
  public Rights rights() {
    return rights;
  }

  private boolean maySee(Viewer viewer, JobRow row) {
    return rights.jobs().maySee(viewer, row.user(), row.viewAcl());
  }

  /**
   * Whether a job is there for somebody: it is known, and he may see it.
   *
   * @throws IOException when the history cannot be read
   */
  public boolean isThere(String job, Viewer viewer) throws IOException {
    Optional<Job> living = book.living(job);
    if (living.isPresent()) {
      Job known = living.get();
      return rights.jobs().maySee(viewer, known.user(), known.viewAcl());
    }
    Optional<JobRow> row = book.kept(job);
    return row.isPresent() && maySee(viewer, row.get());
  }

  /** The cluster as somebody may see it. */
  public ClusterView clusterView(Viewer viewer) {
    ClusterView view = servers.view();
    return viewer.everything() ? view : view.of(viewer.user());
  }

  /** Whether pages are HTTPS. */
  public boolean isTls() {
    return tls.isPresent();
  }

  /** Key and certificate of the pages; absent: they are not HTTPS. */
  public Optional<TlsContext> serverTls() {
    return tls;
  }

  /** How sources are. */
  public List<SourceView> sources() {
    return sources.stream().map(Source::view).toList();
  }

  /** Stops all rounds, then closes the history. */
  @Override
  public void close() throws IOException {
    for (Closeable service : open) {
      service.close();
    }
  }
}
