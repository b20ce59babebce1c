package dev.sailfish.lineage.worker;

import dev.sailfish.blockstore.Tier;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.ground.wire.RetryPolicy;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerRequest;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerResponse;
import dev.sailfish.lineage.protocol.wire.ReportBlocksRequest;
import dev.sailfish.lineage.protocol.wire.ReportBlocksResponse;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatResponse;
import dev.sailfish.lineage.worker.block.BlockId;
import dev.sailfish.lineage.worker.block.BlockTable;
import dev.sailfish.lineage.worker.block.Changes;
import dev.sailfish.lineage.worker.block.Spares;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that tells the master which blocks are here, and deletes those that nobody needs.
 * While no master is to be had it tries again, waiting longer each time; the worker serves on
 * meanwhile.
 *
 * <p>A worker that registers is a new one to the master, so it tells all that it has; from then on
 * what changes. A writer tells the master itself where its blocks are: a block that is sealed is
 * not told here, unless it was sealed before the worker registered again.
 */
final class MasterLink implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(MasterLink.class);
  private static final int BLOCKS_PER_REPORT = 10_000;
  private static final int SPARES_PER_REPORT = 1_000;

  /** Where files come and go the master is asked so much more often which ones are gone. */
  private static final int BUSY = 8;

  private static final long CLOSE_DEADLINE_MS = 5_000;

  private final LeaderClient master;
  private final Supplier<RegisterWorkerRequest> registration;
  private final BlockTable blocks;
  private final Changes changes;
  private final Spares spares;
  private final long heartbeatNs;
  private final Metrics<LineageWorkerMetric> metrics;
  private final Clock clock;
  private final Duties duties;
  private final Notices notices;
  private final Thread thread = new Thread(this::run, "lineage-master-link");
  private volatile boolean closed;
  private volatile int number;

  /** Whether files come, go, or are copied below, by the last heartbeat. */
  private boolean isBusy;

  /** What the master is told of, and what is done because of its answers. */
  record Known(BlockTable blocks, Changes changes, Spares spares, Duties duties) {}

  /** Who hears whether there is a master. Called on the link's thread. */
  interface Notices {
    /** The master knows this worker and all its blocks. */
    void registered();

    /** There is no master that takes it; the next try follows by itself. */
    void alone(Exception cause);
  }

  /**
   * @param master is used and closed by the link's thread
   * @param heartbeatNs how often the master hears this worker
   */
  MasterLink(
      LeaderClient master,
      Supplier<RegisterWorkerRequest> registration,
      Known known,
      long heartbeatNs,
      Metrics<LineageWorkerMetric> metrics,
      Notices notices) {
    this.master = master;
    this.registration = registration;
    this.blocks = known.blocks;
    this.changes = known.changes;
    this.spares = known.spares;
    this.duties = known.duties;
    this.heartbeatNs = heartbeatNs;
    this.metrics = metrics;
    this.clock = master.clock();
    this.notices = notices;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** What the master calls this worker now; 0 before it has registered. */
  int number() {
    return number;
  }

  private void run() {
    int failures = 0;
    while (!closed) {
      long answered = metrics.get(LineageWorkerMetric.HEARTBEATS);
      try {
        serve();
      } catch (IOException e) {
        failed(e);
      } catch (RuntimeException e) {
        LOG.error("what a master was told or has said failed here, trying again", e);
        failed(e);
      } finally {
        master.close();
      }
      failures = metrics.get(LineageWorkerMetric.HEARTBEATS) > answered ? 1 : failures + 1;
      long nowNs = clock.nanoTime();
      pause(nowNs + RetryPolicy.DAEMON.waitNs(failures, nowNs));
    }
  }

  private void failed(Exception cause) {
    metrics.increment(LineageWorkerMetric.HEARTBEAT_FAILURES);
    if (!closed) {
      notices.alone(cause);
    }
  }

  /** Registers if need be, then heartbeats until the master wants another registration. */
  private void serve() throws IOException {
    boolean known = number != 0;
    while (!closed) {
      if (!known) {
        register();
      }
      notices.registered();
      known = beat();
      if (known) {
        pause(clock.nanoTime() + (isBusy ? heartbeatNs / BUSY : heartbeatNs));
      }
    }
  }

  private void register() throws IOException {
    RegisterWorkerResponse response =
        master.call(
            LineageService.REGISTER_WORKER, registration.get(), RegisterWorkerResponse.parser());
    if (response.hasRefusal()) {
      throw new IOException("the master takes no worker: " + response.getRefusal().getMessage());
    }
    changes.clear(); // before the number: what is sealed under it is told by its writer
    number = response.getNumber();
    int told = 0;
    BlockId next = blocks.next(null);
    while (next != null) {
      Map<BlockId, Integer> all = new LinkedHashMap<>();
      for (; next != null && all.size() < BLOCKS_PER_REPORT; next = blocks.next(next)) {
        Tier tier = blocks.tier(next);
        if (tier != null) {
          all.put(next, tier.ordinal());
        }
      }
      if (!report(all)) {
        number = 0;
        throw new IOException("the master has forgotten this worker while it registered");
      }
      told += all.size();
    }
    LOG.info("registered worker={} blocks={}", number, told);
  }

  /**
   * Tells what has changed, and that the worker lives.
   *
   * @return false when the master does not know it
   */
  private boolean beat() throws IOException {
    Map<BlockId, Integer> changed = changes.take(BLOCKS_PER_REPORT);
    while (!changed.isEmpty()) {
      boolean heard = false;
      try {
        if (!report(changed)) {
          return false;
        }
        heard = true;
      } finally {
        if (!heard) {
          changes.putBack(changed);
        }
      }
      changed = changes.take(BLOCKS_PER_REPORT);
    }
    if (!offerSpares()) {
      return false;
    }
    blocks.asked();
    WorkerHeartbeatRequest.Builder request =
        WorkerHeartbeatRequest.newBuilder().setWorker(number).setFreeBytes(blocks.freeBytes());
    request.addAllFids(blocks.openFiles());
    duties.describe(request);
    WorkerHeartbeatRequest asked = request.build();
    WorkerHeartbeatResponse response =
        master.call(LineageService.WORKER_HEARTBEAT, asked, WorkerHeartbeatResponse.parser());
    metrics.increment(LineageWorkerMetric.HEARTBEATS);
    isBusy = duties.isBusy() || response.getUnneededCount() > 0;
    for (long fid : response.getUnneededList()) {
      blocks.deleteUnneeded(fid);
      Thread.yield(); // many at once would make requests wait for the processor
    }
    response.getBelowList().forEach(blocks::knowBelow);
    response.getFreedList().forEach(blocks::free);
    duties.told(asked, response);
    return !response.getUnknown();
  }

  private boolean report(Map<BlockId, Integer> told) throws IOException {
    return !report(told, List.of()).getUnknown();
  }

  /**
   * Asks for blocks that others have, too, whether they may go.
   *
   * @return false when the master does not know this worker
   */
  private boolean offerSpares() throws IOException {
    Map<BlockId, Integer> told = new LinkedHashMap<>();
    spares.asked(SPARES_PER_REPORT).forEach((id, tier) -> told.put(id, tier.ordinal()));
    if (told.isEmpty()) {
      return true;
    }
    List<Integer> all = IntStream.range(0, told.size()).boxed().toList();
    ReportBlocksResponse response = report(told, all);
    if (response.getUnknown()) {
      return false;
    }
    Set<Integer> gone = new HashSet<>(response.getDroppedList());
    int index = 0;
    for (BlockId id : told.keySet()) {
      spares.answered(id, gone.contains(index++));
    }
    return true;
  }

  /**
   * @param spare which of them may go if others have them
   */
  private ReportBlocksResponse report(Map<BlockId, Integer> told, List<Integer> spare)
      throws IOException {
    ReportBlocksRequest.Builder request =
        ReportBlocksRequest.newBuilder().setWorker(number).addAllSpare(spare);
    blocks.asked();
    told.forEach((id, tier) -> request.addFids(id.fid()).addBlocks(id.block()).addTiers(tier));
    ReportBlocksResponse response =
        master.call(LineageService.REPORT_BLOCKS, request.build(), ReportBlocksResponse.parser());
    List<BlockId> order = List.copyOf(told.keySet());
    response.getUnneededList().forEach(index -> blocks.deleteUnneeded(order.get(index)));
    return response;
  }

  private void pause(long untilNs) {
    try {
      clock.pause(untilNs, "between two heartbeats");
    } catch (InterruptedIOException e) {
      LOG.debug("interrupted={} while waiting, closed={}", Thread.interrupted(), closed, e);
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(CLOSE_DEADLINE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
