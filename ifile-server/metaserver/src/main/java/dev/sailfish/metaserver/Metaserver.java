package dev.sailfish.metaserver;

import dev.sailfish.transport.Counters;
import dev.sailfish.transport.FrameServer;
import dev.sailfish.transport.RequestRefusedException;
import dev.sailfish.transport.ServerConfig;
import dev.sailfish.transport.WebEndpoint;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running metaserver: puts the parts together and starts them. */
public final class Metaserver implements Closeable {
  static final String NAME = "metaserver";

  private static final Logger LOG = LoggerFactory.getLogger(Metaserver.class);
  private static final int RACK_QUEUE = 10_000;
  private static final long MAX_CLOCK_STEP_MS = 5000;

  private final MetaserverConfig config;
  private final Counters<MetaserverCounter> counters = new Counters<>(MetaserverCounter.class);
  private final StateDriver driver;
  private final ThreadPoolExecutor racks;
  private volatile FrameServer server;
  private volatile WebEndpoint web;
  private ApplicationWatcher watcher;

  private Metaserver(MetaserverConfig config) {
    this.config = config;
    long step =
        Math.max(2 * StateDriver.TICK_MS, Math.min(MAX_CLOCK_STEP_MS, config.deadAfterMs() / 4));
    this.driver =
        new StateDriver(
            new MetaserverState(config.stateSettings(), counters, System.currentTimeMillis()),
            new SteadyClock(System::nanoTime, step));
    this.racks =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(RACK_QUEUE),
            work -> {
              Thread thread = new Thread(work, NAME + "-racks");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Starts a metaserver with no jobs and no chunkservers.
   *
   * @throws IOException when a port is taken, when the racks' file or script or the cluster secret
   *     cannot be used, or when nothing is said of authentication
   */
  public static Metaserver start(MetaserverConfig config) throws IOException {
    Metaserver metaserver = new Metaserver(config);
    boolean started = false;
    try {
      metaserver.open();
      started = true;
      return metaserver;
    } finally {
      if (!started) {
        metaserver.close();
      }
    }
  }

  private void open() throws IOException {
    Optional<JobAuthenticator> authenticator =
        config.authentication().secret().map(secret -> new JobAuthenticator(driver, secret));
    RackResolver resolver = resolver(config.racks());
    RequestDispatch dispatch =
        new RequestDispatch(
            driver,
            resolver,
            racks,
            () -> RequestDispatch.status(webPort(), metrics()),
            authenticator);
    server =
        FrameServer.start(
            ServerConfig.of(NAME, config.host(), config.port())
                .withThreads(config.ioThreads())
                .withLimits(
                    ServerConfig.Limits.DEFAULT.withConnections(config.limits().connections())),
            dispatch,
            authenticator.orElse(null));
    web = WebEndpoint.start(NAME, config.host(), config.webPort(), this::metrics, this::status);
    driver.start();
    config
        .resourcemanager()
        .ifPresent(
            address ->
                watcher =
                    ApplicationWatcher.start(
                        new ResourceManagerStates(address), new WatchedJobs(driver)));
    if (authenticator.isEmpty()) {
      LOG.warn("authentication is off: whoever reaches port={} may do everything", port());
    }
    LOG.info("metaserver ready {}:{} web={}", config.host(), port(), webPort());
  }

  private static RackResolver resolver(MetaserverConfig.RackConfig racks) throws IOException {
    if (!racks.script().isEmpty()) {
      return TopologyScript.open(Path.of(racks.script()), racks.scriptDeadlineMs());
    }
    return racks.file().isEmpty()
        ? RackMap.ofList(racks.map())
        : RackMap.ofFile(Path.of(racks.file()));
  }

  private Map<String, Long> metrics() {
    Map<String, Long> gauges = look((state, now) -> state.gauges());
    Map<String, Long> metrics = new LinkedHashMap<>(gauges);
    metrics.putAll(counters.snapshot());
    FrameServer frames = server;
    if (frames != null) {
      metrics.putAll(frames.metrics());
    }
    return metrics;
  }

  private Map<String, Object> status() {
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("server", NAME);
    status.put("host", config.host());
    status.put("port", port());
    status.put("web_port", webPort());
    metrics().forEach(status::put);
    Map<String, String> users = look((state, now) -> state.users());
    users.forEach((user, used) -> status.put("user " + user, used));
    return status;
  }

  private <T> T look(StateDriver.Call<T> call) {
    try {
      return driver.apply(call);
    } catch (RequestRefusedException e) {
      throw new IllegalStateException("looking is never refused", e);
    }
  }

  /** What the watcher of applications may do. */
  private record WatchedJobs(StateDriver driver) implements ApplicationWatcher.Watched {
    @Override
    public List<String> jobs() {
      return call((state, now) -> state.jobNames());
    }

    @Override
    public void alive(String job) {
      call(
          (state, now) -> {
            state.renewIfKnown(job, now);
            return null;
          });
    }

    @Override
    public void ended(String job, String application) {
      String reason = application + " has ended";
      call((state, now) -> state.deleteJob(job, MetaserverCounter.APPLICATIONS_ENDED, reason, now));
    }

    private <T> T call(StateDriver.Call<T> call) {
      try {
        return driver.apply(call);
      } catch (RequestRefusedException e) {
        throw new IllegalStateException("the watcher's calls are never refused", e);
      }
    }
  }

  /** The port for tasks and chunkservers. */
  public int port() {
    return server.port();
  }

  /** The port of the web endpoint; 0 while it is not yet up. */
  public int webPort() {
    WebEndpoint endpoint = web;
    return endpoint == null ? 0 : endpoint.port();
  }

  /** Stops; ends within seconds. Its state is gone. */
  @Override
  public void close() {
    if (watcher != null) {
      watcher.close();
    }
    driver.close();
    if (server != null) {
      server.close();
    }
    if (web != null) {
      web.close();
    }
    racks.shutdownNow();
    LOG.info("metaserver stopped");
  }
}
