package dev.sailfish.metaserver;

import dev.sailfish.ground.journal.SteadyClock;
import dev.sailfish.ground.server.Authenticator;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.racks.RackResolver;
import dev.sailfish.metaserver.rpc.Admissions;
import dev.sailfish.metaserver.rpc.FairQueue;
import dev.sailfish.metaserver.rpc.JobAuthenticator;
import dev.sailfish.metaserver.rpc.RequestDispatch;
import dev.sailfish.metaserver.rpc.StateDriver;
import dev.sailfish.metaserver.state.MetaserverState;
import dev.sailfish.metaserver.state.ServerProbe;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import dev.sailfish.simulator.SimulatedDisk;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;

/** The parts of a {@link Metaserver} put together without sockets and threads. */
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
        new FairQueue(timer),
        new FairQueue(timer),
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

  /** What there is in its core. */
  public <T> T look(Function<MetaserverState, T> question) {
    return driver.look((state, now) -> question.apply(state));
  }
}
