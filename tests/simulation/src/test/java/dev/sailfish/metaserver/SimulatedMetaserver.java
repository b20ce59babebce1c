package dev.sailfish.metaserver;

import dev.sailfish.ground.journal.SteadyClock;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import dev.sailfish.simulator.SimulatedDisk;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The parts of a {@link Metaserver} put together without sockets and threads, and what can be seen
 * of its core.
 */
public final class SimulatedMetaserver {
  /** Silence after which a chunkserver counts as dead, in milliseconds. */
  public static final long DEAD_AFTER_MS = 4_000;

  /** The same when half of the chunkservers or more are silent. */
  private static final long DEAD_AFTER_MASS_MS = 3 * DEAD_AFTER_MS;

  private static final long LEASE_MS = 1_800_000;
  private static final long WALL_MS = 1_700_000_000_000L;
  private static final long MAX_CLOCK_STEP_MS = 1_000;

  /** An entry of the journal as its disk has it. */
  public record Kept(byte[] entry, long timeMs) {}

  private final long chunkBytes;
  private final long reservationBytes;
  private final LongSupplier nanoTime;
  private final IntPredicate refuses;
  private final MemoryJournal journal;
  private final Optional<byte[]> secret;
  private StateDriver driver;
  private Optional<JobAuthenticator> authenticator = Optional.empty();

  /**
   * @param chunkBytes capacity of chunks
   * @param reservationBytes what each appender of a chunk reserves
   * @param nanoTime the simulation's clock
   * @param disk for the journal, which outlives each {@link #start}
   * @param refuses whether a connection to a chunkserver's port is refused now
   * @param secret of the cluster; absent when nobody is authenticated
   */
  public SimulatedMetaserver(
      long chunkBytes,
      long reservationBytes,
      LongSupplier nanoTime,
      SimulatedDisk<Kept> disk,
      IntPredicate refuses,
      Optional<byte[]> secret) {
    this.secret = secret;
    this.journal = new MemoryJournal(disk);
    this.chunkBytes = chunkBytes;
    this.reservationBytes = reservationBytes;
    this.nanoTime = nanoTime;
    this.refuses = refuses;
  }

  /**
   * Begins a life.
   *
   * @param timer of this life
   * @return what serves requests
   */
  public RequestHandler start(ScheduledExecutorService timer) throws IOException {
    Metrics<MetaserverMetric> metrics = new Metrics<>(MetaserverMetric.class);
    journal.live();
    driver =
        new StateDriver(
            journal,
            () -> new MetaserverState(DEAD_AFTER_MS, DEAD_AFTER_MASS_MS, metrics),
            new SteadyClock(nanoTime, MAX_CLOCK_STEP_MS),
            this::lead,
            timer,
            this::ask);
    driver.replica().open();
    driver.start();
    authenticator = secret.map(known -> authenticator(known, timer));
    return new RequestDispatch(
        driver,
        new OneRack(),
        timer,
        () -> ServerStatusResponse.newBuilder().putAllCounters(metrics.values()).build(),
        authenticator);
  }

  /** Admits by tickets, on the timer instead of in threads of their own. */
  private JobAuthenticator authenticator(byte[] known, ScheduledExecutorService timer) {
    Admissions admissions =
        new Admissions(
            known,
            () -> nanoTime.getAsLong() / 1_000_000,
            Set.of(),
            Optional.empty(),
            Optional.empty());
    return new JobAuthenticator(
        driver, known, admissions, Optional.empty(), new FairQueue(timer), new FairQueue(timer));
  }

  /** Knows who may connect in this life; null when everybody may. */
  public Authenticator authenticator() {
    return authenticator.orElse(null);
  }

  private CompletableFuture<ServerProbe.Answer> ask(String host, int port) {
    return CompletableFuture.completedFuture(
        refuses.test(port) ? ServerProbe.Answer.REFUSED : ServerProbe.Answer.NO_ANSWER);
  }

  private Lead lead() {
    return Lead.newBuilder()
        .setPeer("single")
        .setWallMs(WALL_MS)
        .setChunkBytes(chunkBytes)
        .setReservationBytes(reservationBytes)
        .setLeaseMs(LEASE_MS)
        .build();
  }

  private static final class OneRack implements RackResolver {
    @Override
    public String known(String host) {
      return DEFAULT_RACK;
    }

    @Override
    public String resolve(String host) {
      return DEFAULT_RACK;
    }
  }

  // ---- what can be seen
  // --------------------------------------------------------------------------

  /** Ids of all chunks that are given up. */
  public Set<Long> lostChunks() {
    Set<Long> lost = new TreeSet<>();
    driver.look(
        (state, now) -> {
          for (Job job : state.jobs().all()) {
            for (ChunkInfo chunk : job.chunks()) {
              if (chunk.state() == ChunkState.LOST) {
                lost.add(chunk.id());
              }
            }
          }
          return null;
        });
    return lost;
  }

  /** Where each chunk is that is not given up: servers by id of the chunk. */
  public Map<Long, String> places() {
    Map<Long, String> places = new TreeMap<>();
    driver.look(
        (state, now) -> {
          for (Job job : state.jobs().all()) {
            for (ChunkInfo chunk : job.chunks()) {
              if (chunk.state() != ChunkState.LOST) {
                places.put(chunk.id(), chunk.server().id());
              }
            }
          }
          return null;
        });
    return places;
  }

  /** Names of jobs and keys that are there and that somebody has made up: null, or a sentence. */
  public String strangersNames(Predicate<String> isInvented) {
    return driver.look(
        (state, now) -> {
          for (Job job : state.jobs().all()) {
            if (isInvented.test(job.name())) {
              return "the metaserver knows the job of a stranger: " + job.name();
            }
          }
          for (AdmittedJobs.Admitted job : state.admitted().all()) {
            String name = job.admit().getName();
            if (isInvented.test(name)) {
              return "the metaserver has admitted the job of a stranger: " + name;
            }
            if (job.id().indexOf(AdmittedJobs.TILDE) >= 0) {
              return "the metaserver has admitted a stranger under another's name: " + job.id();
            }
          }
          return null;
        });
  }

  /** Whether an attempt's manifest is known. */
  public boolean hasManifest(String job, int map, int attempt) {
    return driver.look(
        (state, now) -> {
          Job found = state.jobs().find(job);
          return found != null && found.manifest(new AttemptId(map, attempt)) != null;
        });
  }

  /** What is wrong with the reservations: null, or a sentence. */
  public String wrongReservations() {
    return driver.look((state, now) -> wrongReservations(state));
  }

  private static String wrongReservations(MetaserverState state) {
    for (Job job : state.jobs().all()) {
      Map<Long, Integer> bound = new TreeMap<>();
      job.bindings()
          .values()
          .forEach(
              chunks -> chunks.values().forEach(chunk -> bound.merge(chunk.id(), 1, Integer::sum)));
      for (ChunkInfo chunk : job.chunks()) {
        int expected = bound.getOrDefault(chunk.id(), 0);
        if (chunk.appenders() != expected) {
          return chunk + " counts appenders=" + chunk.appenders() + ", bound are=" + expected;
        }
      }
    }
    return null;
  }

  /** A chunk of a server that no job has: null, or a sentence. */
  public String strayChunk() {
    return driver.look((state, now) -> strayChunk(state));
  }

  private static String strayChunk(MetaserverState state) {
    for (ServerInfo server : state.registry().all()) {
      for (ChunkInfo chunk : server.chunks().values()) {
        Job job = state.jobs().find(chunk.ifile().job().name());
        if (job == null || job.chunk(chunk.id()) != chunk) {
          return chunk + " is of no job";
        }
      }
    }
    return null;
  }
}
