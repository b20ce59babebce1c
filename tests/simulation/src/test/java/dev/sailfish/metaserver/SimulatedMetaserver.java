package dev.sailfish.metaserver;

import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.transport.Counters;
import dev.sailfish.transport.RequestHandler;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The parts of a {@link Metaserver} put together without sockets and threads, and what can be seen
 * of its core. The journal outlives the lives between {@link #start} and {@link #die}.
 */
public final class SimulatedMetaserver {
  /** Silence after which a chunkserver counts as dead, in milliseconds. */
  public static final long DEAD_AFTER_MS = 4_000;

  private static final long LEASE_MS = 1_800_000;
  private static final long WALL_MS = 1_700_000_000_000L;
  private static final long MAX_CLOCK_STEP_MS = 1_000;

  private final long chunkBytes;
  private final long reservationBytes;
  private final LongSupplier nanoTime;
  private final MemoryJournal journal = new MemoryJournal();
  private StateDriver driver;

  /**
   * @param chunkBytes capacity of chunks
   * @param reservationBytes what each appender of a chunk reserves
   * @param nanoTime the simulation's clock
   */
  public SimulatedMetaserver(long chunkBytes, long reservationBytes, LongSupplier nanoTime) {
    this.chunkBytes = chunkBytes;
    this.reservationBytes = reservationBytes;
    this.nanoTime = nanoTime;
  }

  /**
   * Begins a life.
   *
   * @param timer of this life
   * @param soon does what the journal's thread does, in order
   * @return what serves requests
   */
  public RequestHandler start(ScheduledExecutorService timer, Consumer<Runnable> soon)
      throws IOException {
    Counters<MetaserverCounter> counters = new Counters<>(MetaserverCounter.class);
    StateSettings settings =
        new StateSettings(
            chunkBytes, reservationBytes, LEASE_MS, DEAD_AFTER_MS, UserQuota.NONE, false);
    journal.live(soon);
    driver =
        new StateDriver(
            journal,
            () -> new MetaserverState(settings, counters),
            new SteadyClock(nanoTime, MAX_CLOCK_STEP_MS),
            this::lead,
            timer);
    driver.open();
    driver.start();
    return new RequestDispatch(
        driver,
        new OneRack(),
        timer,
        () -> RequestDispatch.status(0, counters.snapshot()),
        Optional.empty());
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

  /** How many changes are journaled and not answered. */
  public int unanswered() {
    return journal.unanswered();
  }

  /** Ends a life; this many of the unanswered changes are kept. */
  public void die(int written) {
    journal.died(written);
  }

  /** What was journaled is gone. */
  public void loseJournal() {
    journal.lose();
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
            for (Chunk chunk : job.chunks()) {
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
            for (Chunk chunk : job.chunks()) {
              if (chunk.state() != ChunkState.LOST) {
                places.put(chunk.id(), chunk.server().id());
              }
            }
          }
          return null;
        });
    return places;
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
      for (Chunk chunk : job.chunks()) {
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
    for (Chunkserver server : state.registry().all()) {
      for (Chunk chunk : server.chunks().values()) {
        Job job = state.jobs().find(chunk.ifile().job());
        if (job == null || job.chunk(chunk.id()) != chunk) {
          return chunk + " is of no job";
        }
      }
    }
    return null;
  }
}
