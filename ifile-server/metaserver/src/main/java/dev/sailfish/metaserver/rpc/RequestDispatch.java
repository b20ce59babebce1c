package dev.sailfish.metaserver.rpc;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.replica.JournalAnswers;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.ground.server.racks.RackResolver;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.JournalRequest;
import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverKey;
import dev.sailfish.metaserver.manifest.AttemptId;
import dev.sailfish.metaserver.state.EntryApplier;
import dev.sailfish.metaserver.state.MetaserverState;
import dev.sailfish.metaserver.wire.Bind;
import dev.sailfish.metaserver.wire.CloseChunks;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.metaserver.wire.Register;
import dev.sailfish.metaserver.wire.Reports;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.DeleteJobRequest;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DrainRequest;
import dev.sailfish.protocol.wire.GetJobKeyRequest;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.ListJobsRequest;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RenewLeaseRequest;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.protocol.wire.ServerStatusRequest;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import dev.sailfish.protocol.wire.SumWinnersRequest;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Has the state looked at or changed as requests ask, and answers them. Changes are answered when
 * they are journaled and made, on the journal's thread. Requests that need a rack which is not
 * known yet wait for it on another thread.
 */
public final class RequestDispatch implements RequestHandler {
  static final JournalAnswers ANSWERS = new JournalAnswers(Metaserver.NAME);

  /** A name or an address: it is given to the topology script, so it must not be an option. */
  private static final Pattern HOST = Pattern.compile("(?!-)[A-Za-z0-9_.:%-]{0,255}");

  /** How much more the heap must be than a request is long: as objects it takes so much more. */
  private static final Map<Operation<?, ?>, Integer> HEAP_PER_REQUEST =
      Map.of(
          IfileService.COMMIT_MANIFEST, 32,
          IfileService.BIND, 128,
          IfileService.PLAN_PARTITION, 128,
          IfileService.SUM_WINNERS, 128,
          IfileService.REPORT_UNREADABLE, 128);

  /** An appender asks for fewer at a time. */
  private static final int MOST_TARGETS = 65_536;

  private final StateDriver driver;
  private final RackResolver racks;
  private final FairQueue registrations;
  private final FairQueue binds;
  private final Optional<JobAuthenticator> authenticator;
  private final Routes routes = new Routes("a metaserver");

  /**
   * @param registrations where chunkservers wait for their racks
   * @param binds where tasks wait for the racks of their hosts, which may be invented
   * @param authenticator absent when nobody is authenticated
   */
  public RequestDispatch(
      StateDriver driver,
      RackResolver racks,
      FairQueue registrations,
      FairQueue binds,
      Supplier<ServerStatusResponse> status,
      Optional<JobAuthenticator> authenticator) {
    this.driver = driver;
    this.racks = racks;
    this.registrations = registrations;
    this.binds = binds;
    this.authenticator = authenticator;
    addTasksRoutes();
    routes
        .on(
            IfileService.LIST_JOBS,
            ListJobsRequest.parser(),
            (request, asked) -> read(request, MetaserverState::listJobs))
        .on(IfileService.DRAIN, DrainRequest.parser(), this::drain)
        .on(IfileService.GET_JOB_KEY, GetJobKeyRequest.parser(), this::jobKey)
        .on(IfileService.REGISTER_CHUNKSERVER, RegisterChunkserverRequest.parser(), this::register)
        .on(IfileService.HEARTBEAT, HeartbeatRequest.parser(), this::heartbeat)
        .on(IfileService.JOURNAL, JournalRequest.parser(), this::journal)
        .on(
            IfileService.SERVER_STATUS,
            ServerStatusRequest.parser(),
            (request, asked) -> request.reply(status.get()));
  }

  private void addTasksRoutes() {
    routes
        .ofJob(
            IfileService.CREATE_IFILES,
            CreateIfilesRequest.parser(),
            CreateIfilesRequest::getJob,
            this::create)
        .ofJob(IfileService.BIND, BindRequest.parser(), BindRequest::getJob, this::bind)
        .ofJob(
            IfileService.COMMIT_MANIFEST,
            CommitManifestRequest.parser(),
            CommitManifestRequest::getJob,
            this::commit)
        .ofJob(
            IfileService.ABORT_ATTEMPT,
            AbortAttemptRequest.parser(),
            AbortAttemptRequest::getJob,
            (request, asked) -> change(request, entry().setAbort(asked)))
        .ofJob(
            IfileService.PLAN_PARTITION,
            PlanPartitionRequest.parser(),
            PlanPartitionRequest::getJob,
            this::plan)
        .ofJob(
            IfileService.SUM_WINNERS,
            SumWinnersRequest.parser(),
            SumWinnersRequest::getJob,
            (request, asked) -> read(request, (state, now) -> state.sumWinners(asked, now)))
        .ofJob(
            IfileService.RENEW_LEASE,
            RenewLeaseRequest.parser(),
            RenewLeaseRequest::getJob,
            this::renewLease)
        .ofJob(
            IfileService.DELETE_JOB,
            DeleteJobRequest.parser(),
            DeleteJobRequest::getJob,
            this::delete)
        .ofJob(
            IfileService.DESCRIBE_JOB,
            DescribeJobRequest.parser(),
            DescribeJobRequest::getJob,
            (request, asked) -> read(request, (state, now) -> state.describeJob(asked, now)))
        .ofJob(
            IfileService.REPORT_UNREADABLE,
            ReportUnreadableRequest.parser(),
            ReportUnreadableRequest::getJob,
            (request, asked) -> change(request, entry().setUnreadable(asked)));
  }

  @Override
  public void handle(Request request) throws IOException {
    requireShort(request);
    routes.handle(request);
  }

  private static JournalEntry.Builder entry() {
    return JournalEntry.newBuilder();
  }

  // ---- what changes nothing

  private void renewLease(Request request, RenewLeaseRequest renew) {
    read(
        request,
        (state, now) -> {
          state.jobs().require(renew.getJob(), now);
          return EmptyResponse.getDefaultInstance();
        });
  }

  private void read(Request request, StateDriver.Call<MessageLite> call) {
    confirmed(request, () -> request.reply(driver.lead(call)));
  }

  private void jobKey(Request request, GetJobKeyRequest asked) throws RequestRefusedException {
    String job = asked.getJob();
    if (authenticator.isEmpty()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, "this metaserver authenticates nobody and has no keys: job=" + job);
    }
    byte[] session = request.session();
    read(
        request,
        (state, now) -> authenticator.get().seal(job, state.principalOf(job, now), session));
  }

  /** Work that answers the request itself, or refuses it. */
  private interface Work {
    void run() throws RequestRefusedException;
  }

  /** Does the work once it is certain that this metaserver knows all that there is to know. */
  private void confirmed(Request request, Work work) {
    ANSWERS.confirmed(request, driver.confirm(), leads -> work.run());
  }

  private void plan(Request request, PlanPartitionRequest asked) {
    confirmed(
        request,
        () -> {
          PlanPartitionResponse plan = driver.lead((state, now) -> state.planPartition(asked, now));
          List<Long> bindable =
              asked.getFinal()
                  ? driver.look((state, now) -> state.bindable(asked.getJob(), plan))
                  : List.of();
          boolean news =
              asked.getFinal()
                  && driver.look(
                      (state, now) -> state.isNews(asked.getJob(), asked.getWinnersList()));
          if (bindable.isEmpty() && !news) {
            request.reply(plan);
            return;
          }
          CloseChunks.Builder close =
              CloseChunks.newBuilder()
                  .setJob(asked.getJob())
                  .addAllChunks(bindable)
                  .addAllWinners(news ? asked.getWinnersList() : List.of());
          change(request, entry().setClose(close), done -> plan);
        });
  }

  // ---- what is journaled

  private void change(Request request, JournalEntry.Builder entry) {
    change(request, entry, RequestDispatch::response);
  }

  private void change(
      Request request, JournalEntry.Builder entry, Function<JournalReply, MessageLite> answer) {
    changed(request, entry, reply -> request.reply(answer.apply(reply)));
  }

  /** Has an entry journaled and applied, and then the request answered or refused. */
  private void changed(
      Request request, JournalEntry.Builder entry, JournalAnswers.Answer<JournalReply> answer) {
    ANSWERS.answer(request, driver.change(entry), answer);
  }

  /** Refuses what would take a large part of the heap while it is decoded. */
  private static void requireShort(Request request) throws RequestRefusedException {
    Integer part = HEAP_PER_REQUEST.get(request.operation());
    if (part == null) {
      return;
    }
    long limit = Runtime.getRuntime().maxMemory() / part;
    int bytes = request.headerBytes().remaining();
    if (bytes > limit) {
      throw new RequestRefusedException(
          Status.OVER_LIMIT,
          ("request is too long for this metaserver's heap: operation=%s bytes=%s limit=%s, a"
                  + " part of %s of the heap; fewer maps or reduces help, or a larger heap (-Xmx)")
              .formatted(request.operation(), bytes, limit, part));
    }
    if (request.operation() == IfileService.COMMIT_MANIFEST) {
      requireFewParts(request, limit / ManifestParts.FEWEST_BYTES);
    }
  }

  /** Refuses a manifest of more parts than the longest has that appenders send. */
  private static void requireFewParts(Request request, long limit) throws RequestRefusedException {
    int bytes = request.headerBytes().remaining();
    int parts = bytes <= 2 * limit ? 0 : ManifestParts.count(request.headerBytes());
    if (parts > limit) {
      throw new RequestRefusedException(
          Status.OVER_LIMIT,
          ("manifest has too many partitions and lists of blocks for this metaserver's heap:"
                  + " bytes=%s parts=%s limit=%s; fewer reduces help, or a larger heap (-Xmx)")
              .formatted(bytes, parts, limit));
    }
  }

  private void commit(Request request, CommitManifestRequest commit) {
    String job = commit.getJob();
    int map = commit.getMap();
    changed(
        request,
        entry().setCommit(commit),
        reply -> {
          giveBack(job, map);
          request.reply(response(reply));
        });
  }

  /**
   * Other attempts of a map that has committed are killed, and give nothing back themselves. One
   * that still runs may go on: it only holds no place in its chunks any more.
   */
  private void giveBack(String job, int map) {
    for (AttemptId attempt : driver.look((state, now) -> state.bound(job, map))) {
      driver.change(
          entry()
              .setAbort(
                  AbortAttemptRequest.newBuilder()
                      .setJob(job)
                      .setMap(attempt.map())
                      .setAttempt(attempt.attempt())));
    }
  }

  private void create(Request request, CreateIfilesRequest create) throws RequestRefusedException {
    if (create.getEncrypted() && authenticator.isEmpty()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          ("job is to be encrypted, and this metaserver authenticates nobody, so that there is"
                  + " no key to do it with: job=%s; set %s")
              .formatted(create.getJob(), MetaserverKey.SERVER.secretFile()));
    }
    change(request, entry().setCreate(create));
  }

  /** Begins a drain; how far one is that has begun is no change. */
  private void drain(Request request, DrainRequest drain) {
    confirmed(
        request,
        () -> {
          String server = drain.getServer();
          if (driver.lead((state, now) -> state.drains().require(server).isDraining())) {
            request.reply(driver.lead((state, now) -> state.drains().drain(server)));
          } else {
            change(request, entry().setDrain(drain));
          }
        });
  }

  private static MessageLite response(JournalReply reply) {
    return switch (reply.getResponseCase()) {
      case CREATE -> reply.getCreate();
      case BIND -> reply.getBind();
      case REGISTER -> reply.getRegister();
      case DRAIN -> reply.getDrain();
      default -> EmptyResponse.getDefaultInstance();
    };
  }

  private void delete(Request request, DeleteJobRequest delete) {
    String reason = "asked for by " + request.caller();
    EndJob.Cause cause = delete.getKept() ? EndJob.Cause.KEPT_DROPPED : EndJob.Cause.ASKED;
    change(request, EntryApplier.end(delete.getJob(), cause, reason));
  }

  private void heartbeat(Request request, HeartbeatRequest heartbeat)
      throws RequestRefusedException {
    String server = heartbeat.getServerId();
    boolean met = driver.lead((state, now) -> state.desk().isMet(server));
    boolean news = heartbeat.getChangedCount() > 0 || heartbeat.getUnfetchedCount() > 0;
    if (!news || !met) {
      driver.heartbeat(request, heartbeat);
      return;
    }
    Reports reports =
        Reports.newBuilder()
            .setServerId(server)
            .addAllChunks(heartbeat.getChangedList())
            .addAllUnfetched(heartbeat.getUnfetchedList())
            .build();
    changed(request, entry().setReports(reports), reply -> driver.heartbeat(request, heartbeat));
  }

  /** What another metaserver's journal tells this one's; what that says goes back as it is. */
  private void journal(Request request, JournalRequest message) {
    ANSWERS.receive(driver.journal(), request, message);
  }

  private void bind(Request request, BindRequest bind) throws RequestRefusedException {
    requireDistinct(bind);
    withRack(
        request,
        bind.getHost(),
        binds,
        rack -> change(request, entry().setBind(Bind.newBuilder().setRequest(bind).setRack(rack))));
  }

  /** What has an answer far longer than the request must not get into the journal. */
  private static void requireDistinct(BindRequest bind) throws RequestRefusedException {
    int targets = bind.getTargetsCount();
    Set<Integer> partitions = new HashSet<>();
    if (targets <= MOST_TARGETS) {
      bind.getTargetsList().forEach(target -> partitions.add(target.getPartition()));
    }
    if (partitions.size() < targets) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "targets must be %s at most, and of as many partitions: targets=%s job=%s"
              .formatted(MOST_TARGETS, targets, bind.getJob()));
    }
  }

  private void register(Request request, RegisterChunkserverRequest register)
      throws RequestRefusedException {
    withRack(
        request,
        register.getHost(),
        registrations,
        rack ->
            change(
                request,
                entry().setRegister(Register.newBuilder().setRequest(register).setRack(rack))));
  }

  private void withRack(Request request, String host, FairQueue queue, Consumer<String> work)
      throws RequestRefusedException {
    if (!HOST.matcher(host).matches()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "host is no name or address: operation=%s characters=%s"
              .formatted(request.operation(), host.length()));
    }
    String known = racks.known(host);
    if (known != null) {
      work.accept(known);
      return;
    }
    if (!queue.offer(FairQueue.address(request), () -> resolve(request, host, work))) {
      throw new RequestRefusedException(
          Status.BUSY,
          "too many hosts wait for the topology script, also from this address: host=" + host);
    }
  }

  private void resolve(Request request, String host, Consumer<String> work) {
    if (!request.asksOn()) {
      request.fail(Status.BUSY, "the caller has gone before its turn came: host=" + host);
      return;
    }
    ANSWERS.answer(
        request,
        CompletableFuture.completedFuture(host),
        asked -> work.accept(racks.resolve(asked)));
  }
}
