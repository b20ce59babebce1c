package dev.sailfish.lineage.master;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.journal.JournalSettings;
import dev.sailfish.ground.replica.JournalPeers;
import dev.sailfish.ground.replica.Replica;
import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.daemon.Daemon;
import dev.sailfish.ground.server.daemon.DaemonMain;
import dev.sailfish.ground.server.daemon.DaemonPorts;
import dev.sailfish.ground.server.daemon.DaemonSettings;
import dev.sailfish.ground.server.guard.GuardedTimer;
import dev.sailfish.ground.server.guard.StandingWarnings;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.server.web.HealthCheck;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.JournalRequest;
import dev.sailfish.lineage.master.checkpoint.Checkpoints;
import dev.sailfish.lineage.master.namespace.FileWriting;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.master.state.StoreState;
import dev.sailfish.lineage.master.under.JournaledTree;
import dev.sailfish.lineage.master.under.UnderChanges;
import dev.sailfish.lineage.master.under.UnderGate;
import dev.sailfish.lineage.protocol.BlockToken.Access;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.FreeFilesRequest;
import dev.sailfish.lineage.protocol.wire.GrantWritingRequest;
import dev.sailfish.lineage.protocol.wire.GrantWritingResponse;
import dev.sailfish.lineage.protocol.wire.ListEntriesRequest;
import dev.sailfish.lineage.protocol.wire.ListEntriesResponse;
import dev.sailfish.lineage.protocol.wire.ListMountsRequest;
import dev.sailfish.lineage.protocol.wire.OpenFileRequest;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.RenewClientRequest;
import dev.sailfish.lineage.protocol.wire.RenewClientResponse;
import dev.sailfish.lineage.protocol.wire.StatRequest;
import dev.sailfish.lineage.protocol.wire.StatResponse;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.UnderFileRequest;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import dev.sailfish.lineage.protocol.wire.WriteMode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A master. One of them leads, changes the namespace through the journal and answers; the others
 * apply the same changes, and take its place when it is gone.
 */
public final class LineageMaster implements Daemon {
  /** What a master is called. */
  public static final String NAME = "lineage-master";

  private static final Logger LOG = LoggerFactory.getLogger(LineageMaster.class);

  /** Workers that are named for a file, at most. */
  static final int WORKERS_PER_FILE = 3;

  /**
   * How long a dependency stays whose outputs are all below: the next job of a chain begins soon,
   * and what it reads may be deleted before its own outputs are below. The same on all masters.
   */
  private static final long KEPT_MS = 600_000;

  private static final long TICK_MS = 250;
  private static final long REFRESH_S = 10;

  private final Clock clock;
  private final DaemonSettings daemon;
  private final Duration clientLease;
  private final UserAccess access;
  private final Leases clients;
  private final WorkerWatch watch = new WorkerWatch();
  private final StoreState state;
  private final Replica replica;
  private final UnderGate gate;
  private final UnderChanges underChanges;
  private final UnderRequests underRequests;
  private final Announcements announcements;
  private final FileQuestions questions;
  private final WorkerRacks racks;
  private final Checkpoints checkpoints;
  private final StoreOperations operations;
  private final WorkerRequests workers;
  private final LineageRequests lineage;
  private final CheckpointRequests checkpointRequests;
  private final Metrics<LineageMasterMetric> metrics;
  private final DaemonPorts ports;
  private final ScheduledExecutorService timer = new GuardedTimer(NAME + "-timer");

  private LineageMaster(Settings settings, Clock clock) throws IOException {
    this.clock = clock;
    LineageMasterKey.ALL.check(settings);
    daemon = DaemonSettings.of(settings, LineageMasterKey.SERVER, true);
    clientLease = settings.get(LineageMasterKey.CLIENT_LEASE);
    clients = new Leases(clientLease.toMillis());
    state = new StoreState(listener(), KEPT_MS);
    JournalSettings journal = LineageMasterKey.JOURNAL.read(settings, LineageMasterKey.PORT);
    access = new UserAccess(settings, daemon, journal, clock);
    JournalPeers peers = JournalPeers.of(LineageService.JOURNAL, journal, daemon);
    replica = new Replica(journal, peers, state, clock);
    gate = new UnderGate(journaledTree(), clock);
    underChanges = new UnderChanges(gate);
    underRequests = new UnderRequests(gate, watch);
    announcements = new Announcements(replica::submit, clock);
    checkpoints = new Checkpoints(LineageMasterKey.CHECKPOINTS.read(settings), clock);
    LineageMasterKey.RACKS.check(settings);
    racks = new WorkerRacks(LineageMasterKey.RACKS.open(settings));
    operations =
        new StoreOperations(replica, state, access.users(), announcements, checkpoints, clock);
    checkpointRequests =
        new CheckpointRequests(replica, state, access.users(), announcements, checkpoints);
    workers =
        new WorkerRequests(
            replica, state, watch, operations, settings.get(LineageMasterKey.WORKER_LEASE));
    lineage =
        new LineageRequests(replica, state, access.users(), new LineageLimits(settings), clock);
    questions = new FileQuestions(access, watch, racks, checkpoints, lineage);
    metrics = new Metrics<>(LineageMasterMetric.class, this::gauges);
    ports =
        new DaemonPorts(
            NAME,
            settings.get(LineageMasterKey.HOST),
            metrics,
            List.of(
                new HealthCheck(
                    "leader",
                    replica::keepsUp,
                    "no master leads that this one hears, or this one is far behind it")),
            new StandingWarnings(LOG, clock::nanoTime),
            json -> {});
  }

  private StoreState.Listener listener() {
    return new StoreState.Listener() {
      @Override
      public void lead() {
        clients.begin(replica.nowMs());
        workers.lead();
        watch.clear(true);
        announcements.clear();
        gate.lead();
        operations.clear();
        checkpoints.lead(state.namespace());
        lineage.clear();
      }

      @Override
      public void follow() {
        watch.clear(false);
        announcements.clear();
        operations.clear();
        checkpoints.follow();
        lineage.clear();
      }

      @Override
      public void on(long fid, int worker) {
        watch.unneeded(fid, worker);
      }

      @Override
      public void free(long fid, int worker) {
        watch.freed(fid, worker);
      }

      @Override
      public void mounted() {
        gate.mounted(state.namespace().mounted().mounts());
      }
    };
  }

  private JournaledTree journaledTree() {
    return new JournaledTree() {
      @Override
      public <T> T look(Question<T> question) throws NamespaceException {
        return replica.look(() -> question.of(state.namespace()));
      }

      @Override
      public CompletableFuture<byte[]> submit(byte[] entry) {
        return replica
            .submit(entry)
            .exceptionallyCompose(error -> CompletableFuture.failedFuture(replica.refusal(error)));
      }
    };
  }

  /** The process of a master; the argument is its properties file. */
  public static void main(String[] args) {
    DaemonMain.run(NAME, args, settings -> settings, LineageMaster::start);
  }

  /**
   * Starts a master; with others it serves when they have elected it.
   *
   * @throws IOException saying what cannot be used
   */
  public static LineageMaster start(Settings settings) throws IOException {
    return start(settings, System::nanoTime);
  }

  /**
   * The same, by another clock than this machine's. One that leaps or goes back ends no lease and
   * no file's time; its wall clock says how long tokens are good.
   */
  public static LineageMaster start(Settings settings, Clock clock) throws IOException {
    LineageMaster master = new LineageMaster(settings, clock);
    boolean started = false;
    try {
      master.open(settings);
      started = true;
      return master;
    } finally {
      if (!started) {
        master.close();
      }
    }
  }

  private void open(Settings settings) throws IOException {
    replica.open();
    ports.open(
        LineageService.SERVICE,
        ServerConfig.of(
                NAME, settings.get(LineageMasterKey.HOST), settings.get(LineageMasterKey.PORT))
            .withLimits(JournalPeers.LIMITS),
        routes(),
        access.authenticator(),
        daemon);
    replica.start();
    timer.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    timer.scheduleWithFixedDelay(access::refresh, REFRESH_S, REFRESH_S, TimeUnit.SECONDS);
  }

  private Routes routes() {
    return workers
        .on(checkpointRequests.on(lineage.on(operations.on(new Routes("a " + NAME)))))
        .on(LineageService.CHANGE, ChangeRequest.parser(), this::change)
        .on(LineageService.ANNOUNCE, ChangeRequest.parser(), this::announce)
        .on(LineageService.STAT, StatRequest.parser(), this::stat)
        .on(LineageService.LIST, ListEntriesRequest.parser(), this::list)
        .on(LineageService.OPEN, OpenFileRequest.parser(), this::open)
        .on(LineageService.GRANT_WRITING, GrantWritingRequest.parser(), this::grantWriting)
        .on(LineageService.LIST_MOUNTS, ListMountsRequest.parser(), this::mounts)
        .on(LineageService.FREE, FreeFilesRequest.parser(), this::free)
        .on(
            LineageService.UNDER_FILE,
            UnderFileRequest.parser(),
            (request, asked) ->
                replica.read(request, () -> underRequests.underFile(state.namespace(), asked)))
        .on(LineageService.RENEW, RenewClientRequest.parser(), this::renew)
        .on(LineageService.JOURNAL, JournalRequest.parser(), replica::receive);
  }

  private void grantWriting(Request request, GrantWritingRequest asked) {
    replica.after(
        request,
        announcements.settle("", asked.getFid()),
        () ->
            replica.read(
                request,
                () -> {
                  GrantWritingResponse granted =
                      access.grantWriting(request.principal(), state.namespace(), asked);
                  return granted.hasRefusal() ? granted : withWorkers(granted, asked);
                }));
  }

  private GrantWritingResponse withWorkers(
      GrantWritingResponse granted, GrantWritingRequest asked) {
    return granted.toBuilder()
        .addAllWorkers(choose(asked.getHost(), Set.copyOf(asked.getRefusedList())))
        .build();
  }

  private void mounts(Request request, ListMountsRequest said) throws IOException {
    ListMountsRequest asked = access.users().of(request.principal(), said);
    replica.read(request, () -> underRequests.mounts(state.namespace(), asked));
  }

  private void free(Request request, FreeFilesRequest said) throws IOException {
    FreeFilesRequest asked = access.users().of(request.principal(), said);
    replica.read(request, () -> underRequests.free(state.namespace(), asked));
  }

  private void change(Request request, ChangeRequest said) throws IOException {
    ChangeRequest asked = access.users().of(request.principal(), said);
    require(
        asked.getClient() != 0 && asked.getNumber() != 0,
        "a change must name its client and have a number");
    require(
        asked.getChangeCase() != ChangeRequest.ChangeCase.CHANGE_NOT_SET,
        "this version of the master does not know such a change");
    clients.heard(asked.getClient(), replica.nowMs());
    underChanges.change(request, asked, LineageMaster::refused, made -> submit(request, made));
  }

  /** The journal hears of it later, if at all: see {@link Announcements}. */
  private void announce(Request request, ChangeRequest said) throws IOException {
    ChangeRequest asked = access.users().of(request.principal(), said);
    require(
        asked.getClient() != 0 && asked.getCreateFile().getFid() != 0,
        "a file is announced by a client that has its id");
    require(!asked.getCreateFile().getComplete(), "a file that is complete is not announced");
    clients.heard(asked.getClient(), replica.nowMs());
    replica.read(
        request,
        () -> {
          try {
            lineage.requireWithinLimits(asked);
            FileEntry entry = announcements.announce(state.namespace(), asked);
            return begun(
                request.principal(),
                host(asked),
                ChangeResponse.newBuilder().setEntry(entry),
                WriteMode.WRITE_MEMORY);
          } catch (NamespaceException e) {
            return refused(StoreMessages.refusal(e));
          }
        });
  }

  /** Says where the blocks of a file may go that is begun. */
  private ChangeResponse begun(
      Principal who, String host, ChangeResponse.Builder response, WriteMode mode) {
    long fid = response.getEntry().getFid();
    return response
        .addAllWorkers(choose(host))
        .setWriteMode(mode)
        .setBlockToken(access.blockToken(who, fid, Access.WRITE))
        .build();
  }

  private static ChangeResponse refused(Refusal refusal) {
    return ChangeResponse.newBuilder().setRefusal(refusal).build();
  }

  private void submit(Request request, ChangeRequest change) throws IOException {
    WriteMode mode = WriteMode.WRITE_MEMORY;
    try {
      lineage.requireWithinLimits(change);
      if (change.hasCreateFile()) {
        mode =
            replica.look(() -> UnderRequests.writeMode(state.namespace(), change.getCreateFile()));
      }
    } catch (NamespaceException e) {
      request.reply(refused(StoreMessages.refusal(e)));
      return;
    }
    WriteMode writeMode = mode;
    require(
        writeMode == WriteMode.WRITE_MEMORY || !change.getCreateFile().getComplete(),
        "a file that is written below is begun first, and completed then");
    CompletableFuture<?> settling = announcements.enter(change);
    if (settling != null) {
      replica.after(request, settling, () -> submit(request, change));
      return;
    }
    replica.change(
        request,
        StoreState.change(change, clock.wallMs()),
        () -> announcements.leave(change),
        reply -> {
          metrics.increment(LineageMasterMetric.CHANGES);
          ChangeResponse response = ChangeResponse.parseFrom(reply);
          return answer(request.principal(), change, response, writeMode);
        });
  }

  private ChangeResponse answer(
      Principal who, ChangeRequest change, ChangeResponse response, WriteMode mode) {
    if (response.hasRefusal()) {
      return response;
    }
    LineageMasterMetric unrecorded = LineageMasterMetric.of(change.getCreateFile().getObstacle());
    if (unrecorded != null) {
      metrics.increment(unrecorded);
    }
    if (change.hasPrepareProgram()) {
      lineage.prepared(change.getUser().getName(), change.getPrepareProgram());
    }
    if (isBeginning(change, response.getEntry())) {
      return begun(who, host(change), response.toBuilder(), mode);
    }
    return change.hasPrepareProgram()
        ? response.toBuilder().addAllWorkers(choose(host(change))).build()
        : response;
  }

  /** Whether a change begins a file, or to write one again: its writer has to know where. */
  private static boolean isBeginning(ChangeRequest change, FileEntry entry) {
    return change.hasBeginRecompute()
        || (change.hasCreateFile() || change.hasPrepareProgram()) && !entry.getComplete();
  }

  /** Where a client is that begins to write. */
  private static String host(ChangeRequest change) {
    return switch (change.getChangeCase()) {
      case CREATE_FILE -> change.getCreateFile().getHost();
      case PREPARE_PROGRAM -> change.getPrepareProgram().getHost();
      default -> change.getBeginRecompute().getHost();
    };
  }

  /** Refuses a request that no client of this version sends. */
  static void require(boolean condition, String message) throws RequestRefusedException {
    if (!condition) {
      throw new RequestRefusedException(Status.BAD_REQUEST, message);
    }
  }

  private List<WorkerAddress> choose(String host) {
    return choose(host, Set.of());
  }

  private List<WorkerAddress> choose(String host, Set<Integer> refused) {
    List<Worker> live =
        replica.look(
            () ->
                state.namespace().workers().stream()
                    .filter(
                        worker -> !state.namespace().uses().holders().isDraining(worker.number()))
                    .filter(worker -> !refused.contains(worker.number()))
                    .toList());
    return watch.choose(live, host, WORKERS_PER_FILE).stream().map(StoreMessages::address).toList();
  }

  private void renew(Request request, RenewClientRequest asked) throws IOException {
    replica.read(
        request,
        () -> {
          clients.heard(
              access.users().client(request.principal(), asked.getClient()), replica.nowMs());
          return RenewClientResponse.newBuilder().setLeaseMs(clientLease.toMillis()).build();
        });
  }

  /** Answers once the tree is as it is below. */
  private void read(
      Request request,
      UnderGate.Look look,
      long fid,
      StoreUser user,
      Function<Refusal, MessageLite> refused,
      Supplier<MessageLite> answer) {
    replica.after(
        request,
        announcements.settle(look.path(), fid),
        () ->
            gate.whenFresh(
                List.of(look),
                user.getName(),
                request,
                refused,
                () -> replica.read(request, answer)));
  }

  private void open(Request request, OpenFileRequest said) throws IOException {
    OpenFileRequest asked = access.users().of(request.principal(), said);
    read(
        request,
        new UnderGate.Look(asked.getPath(), false),
        asked.getFid(),
        asked.getUser(),
        refusal -> OpenFileResponse.newBuilder().setRefusal(refusal).build(),
        () -> questions.open(state.namespace(), request.principal(), asked));
  }

  private void stat(Request request, StatRequest said) throws IOException {
    StatRequest asked = access.users().of(request.principal(), said);
    read(
        request,
        new UnderGate.Look(asked.getPath(), false),
        asked.getFid(),
        asked.getUser(),
        refusal -> StatResponse.newBuilder().setRefusal(refusal).build(),
        () -> questions.stat(state.namespace(), request.principal(), asked));
  }

  /** All of a directory is looked at below before its first page. */
  private void list(Request request, ListEntriesRequest said) throws IOException {
    ListEntriesRequest asked = access.users().of(request.principal(), said);
    read(
        request,
        new UnderGate.Look(asked.getPath(), asked.getAfter().isEmpty()),
        FileWriting.NEW_ID,
        asked.getUser(),
        refusal -> ListEntriesResponse.newBuilder().setRefusal(refusal).build(),
        () -> questions.list(state.namespace(), asked));
  }

  /** Has what silent clients write removed, and what was deleted freed. */
  private void tick() {
    if (!replica.isLeading()) {
      return;
    }
    announcements.settleOld();
    Set<Long> writers = replica.look(() -> state.namespace().writers());
    for (long client :
        clients.expired(replica.look(() -> state.namespace().clients()), replica.nowMs())) {
      if (writers.contains(client)) {
        LOG.warn(
            "client={} was silent for {}: what it has not completed goes", client, clientLease);
        metrics.increment(LineageMasterMetric.CLIENTS_EXPIRED);
      }
      replica.change(StoreState.expiry(client, clock.wallMs()));
    }
    long gone = workers.tick();
    metrics.add(LineageMasterMetric.WORKERS_EXPIRED, gone);
    gate.sweep(replica.look(() -> state.namespace().mounted().mounts()));
    gate.release();
    operations.tick();
    lineage.tick();
    if (replica.look(state::hasGarbage)) {
      replica.change(state.firstEntry());
    }
  }

  private Map<LineageMasterMetric, Long> gauges() {
    return replica.look(
        () -> {
          Map<LineageMasterMetric, Long> gauges =
              LineageMasterMetric.of(state.namespace(), replica.isLeading(), checkpoints.numbers());
          gauges.put(LineageMasterMetric.FILES_WANTED, (long) lineage.wanted());
          return gauges;
        });
  }

  @Override
  public String place() {
    return ports.place();
  }

  /** The port of the service. */
  public int port() {
    return ports.port();
  }

  @Override
  public CompletableFuture<String> failure() {
    return replica.failure();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    ports.close();
    access.close();
    gate.close();
    racks.close();
    replica.close();
  }
}
