package dev.sailfish.lineage.master;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.replica.Replica;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.master.checkpoint.Checkpoints;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.Expiry;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.FileWriting;
import dev.sailfish.lineage.master.namespace.Holders;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Quota;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.master.state.StoreState;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.BalanceRequest;
import dev.sailfish.lineage.protocol.wire.BlockRef;
import dev.sailfish.lineage.protocol.wire.DrainWorkerRequest;
import dev.sailfish.lineage.protocol.wire.DrainWorkerResponse;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.ReportRequest;
import dev.sailfish.lineage.protocol.wire.UseRequest;
import dev.sailfish.lineage.protocol.wire.UseResponse;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What an operator asks a master for, and what follows from it for workers: quotas, pins, times to
 * live, reports, drains, balancing. All of it under the state's lock; kept by the leader alone, but
 * for what the journal has.
 */
final class StoreOperations {
  private static final long LOOKED_FOR_NS = 600_000_000_000L;

  private final Replica replica;
  private final StoreState state;
  private final StoreUsers users;
  private final Announcements announcements;
  private final Checkpoints checkpoints;
  private final Clock clock;
  private final WorkerStates states = new WorkerStates();
  private final BlockMoves moves = new BlockMoves();
  private final BlockWatch watch = new BlockWatch(moves, states);
  private final Balancer balancer = new Balancer(moves, states);
  private final SecondCopies seconds = new SecondCopies(moves, states);
  private boolean isReported;
  private long reportedNs;

  StoreOperations(
      Replica replica,
      StoreState state,
      StoreUsers users,
      Announcements announcements,
      Checkpoints checkpoints,
      Clock clock) {
    this.announcements = announcements;
    this.checkpoints = checkpoints;
    this.users = users;
    this.replica = replica;
    this.state = state;
    this.clock = clock;
  }

  /** Adds the operations. */
  Routes on(Routes routes) {
    return routes
        .on(
            LineageService.USE,
            UseRequest.parser(),
            (request, said) -> {
              UseRequest asked = users.of(request.principal(), said);
              replica.after(
                  request,
                  announcements.settle(asked.getPath(), FileWriting.NEW_ID),
                  () -> replica.read(request, () -> use(asked)));
            })
        .on(
            LineageService.REPORT,
            ReportRequest.parser(),
            (request, asked) -> replica.read(request, this::report))
        .on(
            LineageService.BALANCE,
            BalanceRequest.parser(),
            (request, asked) ->
                replica.read(
                    request, () -> balancer.balance(state.namespace(), asked, clock.nanoTime())))
        .on(
            LineageService.DRAIN_WORKER,
            DrainWorkerRequest.parser(),
            (request, asked) ->
                replica.after(
                    request,
                    announcements.settle("/", FileWriting.NEW_ID),
                    () -> drain(request, asked)));
  }

  /** This master begins to lead, or does so no more: nothing is known. */
  void clear() {
    states.clear();
    moves.clear();
    watch.clear();
    seconds.clear();
    isReported = false;
  }

  /** Has files removed whose time is over, and blocks copied that need it. To be called often. */
  void tick() {
    if (replica.look(() -> state.namespace().uses().expiries().isDue(replica.nowMs()))) {
      replica.change(StoreState.expireFiles(clock.wallMs()));
    }
    replica.look(
        () -> {
          Namespace namespace = state.namespace();
          long nowNs = clock.nanoTime();
          moves.settle(namespace, nowNs);
          checkpoints.tick();
          boolean isDraining =
              namespace.workers().stream()
                  .anyMatch(worker -> namespace.uses().holders().isDraining(worker.number()));
          if (isDraining || isReported && nowNs - reportedNs < LOOKED_FOR_NS) {
            watch.step(namespace, nowNs);
          }
          seconds.step(namespace, nowNs);
          return null;
        });
  }

  /** Takes what a worker says of itself, and adds what it is told. */
  void heard(WorkerHeartbeatRequest said, WorkerHeartbeatResponse.Builder response) {
    Namespace namespace = state.namespace();
    int worker = said.getWorker();
    states.heard(said, clock.nanoTime());
    for (BlockRef block : said.getNotCopiedList()) {
      moves.failed(worker, new BlockMoves.Block(block.getFid(), block.getBlock()));
    }
    Map<String, Integer> owners = new LinkedHashMap<>();
    for (int i = 0; i < said.getFidsCount(); i++) {
      long fid = said.getFids(i);
      String owner = namespace.uses().holders().owner(fid);
      response.addOwner(
          owner == null ? 0 : owners.computeIfAbsent(owner, name -> owners.size() + 1));
      if (owner != null && namespace.uses().pins().isPinned(fid)) {
        response.addPinned(i);
      }
    }
    if (said.getShortOfRoom()) {
      addSpares(said, response);
    }
    response
        .addAllOwners(owners.keySet())
        .setPinChanges(namespace.uses().pins().changes())
        .setDraining(namespace.uses().holders().isDraining(worker))
        .addAllCopies(moves.orders(worker))
        .addAllMoved(moves.removals(worker, namespace.uses().holders()));
    checkpoints.heard(said, response);
  }

  /** Names what would be elsewhere still if this worker let it go. */
  private void addSpares(WorkerHeartbeatRequest said, WorkerHeartbeatResponse.Builder response) {
    Holders holders = state.namespace().uses().holders();
    for (long fid : said.getFidsList()) {
      for (int block : holders.spares(said.getWorker(), fid)) {
        response.addSpare(BlockRef.newBuilder().setFid(fid).setBlock(block));
      }
    }
  }

  private MessageLite use(UseRequest asked) {
    Namespace namespace = state.namespace();
    UseResponse.Builder response = UseResponse.newBuilder();
    try {
      StorePath path = StorePath.of(asked.getPath());
      Caller caller = StoreMessages.caller(asked.getUser());
      FileInfo info = namespace.stat(path, caller);
      Optional<Quota> quota = namespace.uses().quotas().of(path, caller);
      quota.ifPresent(
          has ->
              response
                  .setHasQuota(true)
                  .setQuotaNames(has.names())
                  .setQuotaBytes(has.bytes())
                  .setFiles(has.used().files())
                  .setDirectories(has.used().directories())
                  .setBytes(has.used().bytes()));
      Optional<Expiry> expiry = namespace.uses().expiries().of(path, caller);
      expiry.ifPresent(
          has ->
              response
                  .setExpires(true)
                  .setLeftMs(Math.max(0, has.atMs() - replica.nowMs()))
                  .setFree(has.action() == Expiry.Action.FREE));
      return response.setPinned(namespace.uses().pins().isPinned(info.fid())).build();
    } catch (NamespaceException e) {
      return response.setRefusal(StoreMessages.refusal(e)).build();
    }
  }

  private MessageLite report() {
    reportedNs = clock.nanoTime();
    if (!isReported) {
      isReported = true;
      watch.lookAgain();
    }
    return new StoreReport(state.namespace(), states, watch, reportedNs).message(checkpoints);
  }

  private void drain(Request request, DrainWorkerRequest asked) throws IOException {
    Optional<Worker> worker = replica.look(() -> find(asked.getWorker()));
    boolean begins = worker.isPresent() && replica.look(() -> isNew(worker.get(), asked));
    if (begins) {
      replica.change(
          request,
          StoreState.drainWorker(worker.get().number(), asked.getReturns()),
          reply -> replica.look(() -> progress(asked)));
    } else {
      replica.read(request, () -> progress(asked));
    }
  }

  private boolean isNew(Worker worker, DrainWorkerRequest asked) {
    Holders holders = state.namespace().uses().holders();
    return !holders.isDraining(worker.number())
        || holders.isReturning(worker.number()) != asked.getReturns();
  }

  private Optional<Worker> find(String name) {
    return state.namespace().workers().stream()
        .filter(
            worker ->
                name.equals(worker.host() + ":" + worker.port())
                    || name.equals(Integer.toString(worker.number())))
        .findFirst();
  }

  private MessageLite progress(DrainWorkerRequest asked) {
    Namespace namespace = state.namespace();
    DrainWorkerResponse.Builder response = DrainWorkerResponse.newBuilder();
    Optional<Worker> worker = find(asked.getWorker());
    if (worker.isEmpty()) {
      String message =
          "there is no worker " + asked.getWorker() + ": name one as a report of the store does";
      return response
          .setRefusal(Refusal.newBuilder().setReason(Refusal.Reason.NOT_FOUND).setMessage(message))
          .build();
    }
    int number = worker.get().number();
    BlockWatch.Drain drain = watch.drain(number, namespace);
    WorkerStates.Known known = states.of(number);
    boolean writes = known == null || known.said().getBlocksWriting() > 0;
    if (!drain.hasRoom()) {
      response.setObstacle("no other worker has room for its blocks: add one, or delete files");
    }
    return response
        .setDrained(drain.isDone() && !writes)
        .setBlocksLeft(Math.max(0, drain.left()))
        .setBlocksCopying(moves.from(number))
        .setFilesWriting(drain.writing())
        .build();
  }
}
