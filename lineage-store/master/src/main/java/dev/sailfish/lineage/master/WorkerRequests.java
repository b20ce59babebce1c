package dev.sailfish.lineage.master;

import dev.sailfish.ground.replica.Replica;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.master.state.StoreState;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerRequest;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerResponse;
import dev.sailfish.lineage.protocol.wire.ReportBlocksRequest;
import dev.sailfish.lineage.protocol.wire.ReportBlocksResponse;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Workers that come, say what they have, and are gone when they are silent. Thread-safe. */
final class WorkerRequests {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerRequests.class);
  private static final int LONGEST_REPORT = 100_000;
  private static final int LONGEST_HOST = 255;

  private final Replica replica;
  private final StoreState state;
  private final WorkerWatch watch;
  private final StoreOperations operations;
  private final Duration lease;
  private final Leases leases;

  /**
   * @param lease how long a worker may be silent
   */
  WorkerRequests(
      Replica replica,
      StoreState state,
      WorkerWatch watch,
      StoreOperations operations,
      Duration lease) {
    this.replica = replica;
    this.state = state;
    this.watch = watch;
    this.operations = operations;
    this.lease = lease;
    this.leases = new Leases(lease.toMillis());
  }

  /** Adds the operations. */
  Routes on(Routes routes) {
    return routes
        .on(LineageService.REGISTER_WORKER, RegisterWorkerRequest.parser(), this::register)
        .on(LineageService.REPORT_BLOCKS, ReportBlocksRequest.parser(), this::report)
        .on(LineageService.WORKER_HEARTBEAT, WorkerHeartbeatRequest.parser(), this::heartbeat);
  }

  /** This master begins to lead: each worker has a whole lease. */
  void lead() {
    leases.begin(replica.nowMs());
  }

  private void register(Request request, RegisterWorkerRequest asked) throws IOException {
    String host = asked.getHost();
    LineageMaster.require(
        asked.getId() != 0
            && !host.isEmpty()
            && host.length() <= LONGEST_HOST
            && asked.getPort() > 0
            && asked.getPort() < 1 << 16,
        "a worker must have an id, a host and a port: id=%016x host=%s port=%d"
            .formatted(asked.getId(), host, asked.getPort()));
    replica.change(
        request,
        StoreState.newWorker(asked),
        reply -> {
          RegisterWorkerResponse response = RegisterWorkerResponse.parseFrom(reply);
          leases.heard(response.getNumber(), replica.nowMs());
          LOG.info("worker={} is at {}:{}", response.getNumber(), host, asked.getPort());
          return response.toBuilder().setLeaseMs(lease.toMillis()).build();
        });
  }

  private void report(Request request, ReportBlocksRequest asked) throws IOException {
    int count = asked.getFidsCount();
    LineageMaster.require(
        count == asked.getBlocksCount()
            && count == asked.getTiersCount()
            && count <= LONGEST_REPORT,
        "a report names at most %d blocks, each with its number and its tier: %d, %d, %d"
            .formatted(LONGEST_REPORT, count, asked.getBlocksCount(), asked.getTiersCount()));
    LineageMaster.require(
        asked.getSpareList().stream().allMatch(index -> index >= 0 && index < count),
        "a report of %d blocks says of others that they may go".formatted(count));
    leases.heard(asked.getWorker(), replica.nowMs());
    replica.change(request, StoreState.report(asked), ReportBlocksResponse::parseFrom);
  }

  private void heartbeat(Request request, WorkerHeartbeatRequest asked) throws IOException {
    replica.read(
        request,
        () -> {
          Namespace namespace = state.namespace();
          int worker = asked.getWorker();
          WorkerHeartbeatResponse.Builder response = WorkerHeartbeatResponse.newBuilder();
          if (!namespace.isLive(worker)) {
            return response.setUnknown(true).build();
          }
          leases.heard(worker, replica.nowMs());
          WorkerWatch.Told told = watch.heard(worker, asked.getFreeBytes());
          response.addAllFreed(told.freed());
          // A deleted file may be made again meanwhile.
          Stream.concat(told.unneeded().stream(), asked.getFidsList().stream())
              .filter(fid -> namespace.isUnneeded(fid, worker))
              .forEach(response::addUnneeded);
          asked.getFidsList().stream().filter(namespace::isBelow).forEach(response::addBelow);
          operations.heard(asked, response);
          return response.build();
        });
  }

  /**
   * To be called now and then by the leader.
   *
   * @return how many workers were silent for so long that they are gone
   */
  int tick() {
    List<Integer> live =
        replica.look(() -> state.namespace().workers()).stream().map(Worker::number).toList();
    watch.keep(live);
    List<Long> gone =
        leases.expired(live.stream().map(Integer::longValue).toList(), replica.nowMs());
    for (long worker : gone) {
      LOG.warn("worker={} was silent for {}: what it has counts no more", worker, lease);
      replica.change(StoreState.goneWorker((int) worker));
    }
    lookForLost();
    return gone.size();
  }

  /** A worker that is gone has its lease once more to come back, under this leader. */
  private void lookForLost() {
    OptionalLong gone = replica.look(() -> state.namespace().lineage().goneMs());
    if (gone.isPresent() && leases.isOver(gone.getAsLong(), replica.nowMs())) {
      replica.change(StoreState.lookForLost());
    }
  }
}
