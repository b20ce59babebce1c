package dev.sailfish.metaserver;

import com.google.protobuf.MessageLite;
import dev.sailfish.metaserver.wire.Bind;
import dev.sailfish.metaserver.wire.CloseChunks;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.metaserver.wire.Register;
import dev.sailfish.metaserver.wire.Reports;
import dev.sailfish.protocol.Operation;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.DeleteJobRequest;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DrainRequest;
import dev.sailfish.protocol.wire.EmptyResponse;
import dev.sailfish.protocol.wire.GetJobKeyRequest;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.JournalRequest;
import dev.sailfish.protocol.wire.ListJobsRequest;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RenewLeaseRequest;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.protocol.wire.ServerStatusRequest;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import dev.sailfish.transport.ErrorGuard;
import dev.sailfish.transport.Principal;
import dev.sailfish.transport.Request;
import dev.sailfish.transport.RequestHandler;
import dev.sailfish.transport.RequestRefusedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes requests, checks that the caller may ask that, has the state looked at or changed,
 * encodes answers. Changes are answered when they are journaled and made, on the journal's thread.
 * Requests that need a rack which is not known yet wait for it on another thread.
 */
final class RequestDispatch implements RequestHandler {
  private static final Logger LOG = LoggerFactory.getLogger(RequestDispatch.class);

  /** A name or an address: it is given to the topology script, so it must not be an option. */
  private static final Pattern HOST = Pattern.compile("(?!-)[A-Za-z0-9_.:%-]{0,255}");

  /** What a job may ask for when it names itself; all else is for the cluster. */
  private static final Set<Operation> OF_JOBS =
      EnumSet.of(
          Operation.CREATE_IFILES,
          Operation.BIND,
          Operation.COMMIT_MANIFEST,
          Operation.ABORT_ATTEMPT,
          Operation.PLAN_PARTITION,
          Operation.RENEW_LEASE,
          Operation.DELETE_JOB,
          Operation.DESCRIBE_JOB,
          Operation.REPORT_UNREADABLE);

  /** A manifest takes up to ten times its length as objects. */
  private static final int HEAP_PER_REQUEST = 32;

  private final StateDriver driver;
  private final RackResolver racks;
  private final Executor slow;
  private final Supplier<ServerStatusResponse> status;
  private final Optional<JobAuthenticator> authenticator;

  /**
   * @param slow runs what has to wait for a rack
   * @param authenticator absent when nobody is authenticated
   */
  RequestDispatch(
      StateDriver driver,
      RackResolver racks,
      Executor slow,
      Supplier<ServerStatusResponse> status,
      Optional<JobAuthenticator> authenticator) {
    this.driver = driver;
    this.racks = racks;
    this.slow = slow;
    this.status = status;
    this.authenticator = authenticator;
  }

  @Override
  public void handle(Request request) throws IOException {
    if (request.operation() == Operation.GET_DELEGATION_TOKEN) {
      request.principal().requireUser(request.operation()).handle(request);
      return;
    }
    if (!OF_JOBS.contains(request.operation())) {
      request.principal().requireCluster(request.operation());
    }
    switch (request.operation()) {
      case CREATE_IFILES, COMMIT_MANIFEST, ABORT_ATTEMPT, REPORT_UNREADABLE -> ofJob(request);
      case BIND -> bind(request);
      case DELETE_JOB -> delete(request);
      case DRAIN -> drain(request);
      case PLAN_PARTITION -> plan(request);
      case REGISTER_CHUNKSERVER -> register(request);
      case HEARTBEAT -> heartbeat(request);
      case JOURNAL -> journal(request);
      case SERVER_STATUS -> {
        request.header(ServerStatusRequest.parser());
        request.reply(status.get());
      }
      default -> read(request, reading(request));
    }
  }

  private static JournalEntry.Builder entry() {
    return JournalEntry.newBuilder();
  }

  // ---- what changes nothing
  // ----------------------------------------------------------------------

  private StateDriver.Call<MessageLite> reading(Request request) throws RequestRefusedException {
    Principal caller = request.principal();
    switch (request.operation()) {
      case RENEW_LEASE:
        RenewLeaseRequest renew = request.header(RenewLeaseRequest.parser());
        caller.requireJob(renew.getJob());
        return (state, now) -> {
          state.renewLease(renew.getJob(), now);
          return EmptyResponse.getDefaultInstance();
        };
      case LIST_JOBS:
        request.header(ListJobsRequest.parser());
        return MetaserverState::listJobs;
      case DESCRIBE_JOB:
        DescribeJobRequest describe = request.header(DescribeJobRequest.parser());
        caller.requireJob(describe.getJob());
        return (state, now) -> state.describeJob(describe, now);
      case GET_JOB_KEY:
        return jobKey(request);
      default:
        throw new RequestRefusedException(
            Status.BAD_REQUEST,
            "a metaserver does not do this; is it a chunkserver's address that was meant?"
                + " operation="
                + request.operation());
    }
  }

  private void read(Request request, StateDriver.Call<MessageLite> call) {
    confirmed(request, () -> request.reply(driver.lead(call)));
  }

  private StateDriver.Call<MessageLite> jobKey(Request request) throws RequestRefusedException {
    String job = request.header(GetJobKeyRequest.parser()).getJob();
    if (authenticator.isEmpty()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, "this metaserver authenticates nobody and has no keys: job=" + job);
    }
    byte[] session = request.session();
    return (state, now) -> authenticator.get().seal(job, state.principalOf(job, now), session);
  }

  /** Work that answers the request itself, or refuses it. */
  private interface Work {
    void run() throws RequestRefusedException;
  }

  /** Does the work once it is certain that this metaserver knows all that there is to know. */
  private void confirmed(Request request, Work work) {
    driver
        .confirm()
        .whenComplete(
            (leads, error) -> {
              if (error == null && leads) {
                guarded(request, work);
              } else {
                request.fail(
                    Status.NOT_LEADER,
                    "this metaserver cannot tell whether it still leads"
                        + (error == null ? "" : ": " + error));
              }
            });
  }

  private static void guarded(Request request, Work work) {
    try {
      work.run();
    } catch (Error e) {
      ErrorGuard.check(e); // a future would keep it
      throw e;
    } catch (RequestRefusedException e) {
      request.fail(e.status(), e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("request failed: operation={} caller={}", request.operation(), request.caller(), e);
      request.fail(Status.INTERNAL, "metaserver failed at " + request.operation() + ": " + e);
    }
  }

  private void plan(Request request) throws RequestRefusedException {
    PlanPartitionRequest asked = request.header(PlanPartitionRequest.parser());
    request.principal().requireJob(asked.getJob());
    confirmed(
        request,
        () -> {
          PlanPartitionResponse plan = driver.lead((state, now) -> state.planPartition(asked, now));
          List<Long> bindable =
              asked.getFinal()
                  ? driver.look((state, now) -> state.bindable(asked.getJob(), plan))
                  : List.of();
          if (bindable.isEmpty()) {
            request.reply(plan);
            return;
          }
          CloseChunks close =
              CloseChunks.newBuilder().setJob(asked.getJob()).addAllChunks(bindable).build();
          change(request, entry().setClose(close), done -> plan);
        });
  }

  // ---- what is journaled
  // -------------------------------------------------------------------------

  private void change(Request request, JournalEntry.Builder entry) {
    change(request, entry, RequestDispatch::response);
  }

  private void change(
      Request request, JournalEntry.Builder entry, Function<JournalReply, MessageLite> answer) {
    driver
        .change(entry)
        .whenComplete(
            (reply, error) -> {
              ErrorGuard.check(error);
              if (error != null) {
                request.fail(Status.INTERNAL, "the metaserver's journal fails: " + error);
              } else if (reply.getStatus() != 0) {
                request.fail(Status.ofCode(reply.getStatus()), reply.getMessage());
              } else {
                guarded(request, () -> request.reply(answer.apply(reply)));
              }
            });
  }

  /** Changes that a job asks for, and that need nothing else. */
  private void ofJob(Request request) throws RequestRefusedException {
    Principal caller = request.principal();
    switch (request.operation()) {
      case CREATE_IFILES -> {
        CreateIfilesRequest create = request.header(CreateIfilesRequest.parser());
        caller.requireJob(create.getJob());
        requireKey(create);
        change(request, entry().setCreate(create));
      }
      case COMMIT_MANIFEST -> {
        requireShort(request);
        CommitManifestRequest commit = request.header(CommitManifestRequest.parser());
        caller.requireJob(commit.getJob());
        change(request, entry().setCommit(commit));
      }
      case ABORT_ATTEMPT -> {
        AbortAttemptRequest abort = request.header(AbortAttemptRequest.parser());
        caller.requireJob(abort.getJob());
        change(request, entry().setAbort(abort));
      }
      default -> {
        ReportUnreadableRequest unreadable = request.header(ReportUnreadableRequest.parser());
        caller.requireJob(unreadable.getJob());
        change(request, entry().setUnreadable(unreadable));
      }
    }
  }

  /** Refuses what would take a large part of the heap while it is decoded. */
  private static void requireShort(Request request) throws RequestRefusedException {
    long limit = Runtime.getRuntime().maxMemory() / HEAP_PER_REQUEST;
    int bytes = request.headerBytes().remaining();
    if (bytes > limit) {
      throw new RequestRefusedException(
          Status.OVER_LIMIT,
          "request is too long for this metaserver's heap: operation="
              + request.operation()
              + " bytes="
              + bytes
              + " limit="
              + limit
              + ", a part of "
              + HEAP_PER_REQUEST
              + " of the heap; fewer reduces help, or a larger heap (-Xmx)");
    }
  }

  private void requireKey(CreateIfilesRequest create) throws RequestRefusedException {
    if (create.getEncrypted() && authenticator.isEmpty()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "job is to be encrypted, and this metaserver authenticates nobody, so that there is no key"
              + " to do it with: job="
              + create.getJob()
              + "; set "
              + MetaserverKey.SERVER.secretFile());
    }
  }

  /** Begins a drain; how far one is that has begun is no change. */
  private void drain(Request request) throws RequestRefusedException {
    DrainRequest drain = request.header(DrainRequest.parser());
    confirmed(
        request,
        () -> {
          if (driver.lead((state, now) -> state.isDraining(drain))) {
            request.reply(driver.lead((state, now) -> state.drain(drain)));
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

  private void delete(Request request) throws RequestRefusedException {
    String job = request.header(DeleteJobRequest.parser()).getJob();
    request.principal().requireJob(job);
    String reason = "asked for by " + request.caller();
    change(request, StateDriver.end(job, EndJob.Cause.ASKED, reason));
  }

  private void heartbeat(Request request) throws RequestRefusedException {
    HeartbeatRequest heartbeat = request.header(HeartbeatRequest.parser());
    String server = heartbeat.getServerId();
    boolean met = driver.lead((state, now) -> state.isMet(server));
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
    driver
        .change(entry().setReports(reports))
        .whenComplete(
            (reply, error) -> {
              if (error != null) {
                request.fail(Status.INTERNAL, "the metaserver's journal fails: " + error);
              } else if (reply.getStatus() != 0) {
                request.fail(Status.ofCode(reply.getStatus()), reply.getMessage());
              } else {
                guarded(request, () -> driver.heartbeat(request, heartbeat));
              }
            });
  }

  /** What another metaserver's journal tells this one's; what that says goes back as it is. */
  private void journal(Request request) throws RequestRefusedException {
    int kind = request.header(JournalRequest.parser()).getMessage();
    driver
        .receive(kind, request.payload())
        .whenComplete(
            (reply, error) -> {
              if (error == null) {
                request.reply(EmptyResponse.getDefaultInstance(), ByteBuffer.wrap(reply));
              } else {
                request.fail(Status.INTERNAL, "the journal does not take a message: " + error);
              }
            });
  }

  private void bind(Request request) throws RequestRefusedException {
    BindRequest bind = request.header(BindRequest.parser());
    request.principal().requireJob(bind.getJob());
    withRack(
        request,
        bind.getHost(),
        rack -> change(request, entry().setBind(Bind.newBuilder().setRequest(bind).setRack(rack))));
  }

  private void register(Request request) throws RequestRefusedException {
    RegisterChunkserverRequest register = request.header(RegisterChunkserverRequest.parser());
    withRack(
        request,
        register.getHost(),
        rack ->
            change(
                request,
                entry().setRegister(Register.newBuilder().setRequest(register).setRack(rack))));
  }

  private void withRack(Request request, String host, Consumer<String> work)
      throws RequestRefusedException {
    if (!HOST.matcher(host).matches()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "host is no name or address: operation="
              + request.operation()
              + " characters="
              + host.length());
    }
    String known = racks.known(host);
    if (known != null) {
      work.accept(known);
      return;
    }
    try {
      slow.execute(() -> guarded(request, () -> work.accept(racks.resolve(host))));
    } catch (RejectedExecutionException e) {
      throw new RequestRefusedException(
          Status.BUSY, "too many hosts wait for the topology script: host=" + host);
    }
  }

  /** All counters in one answer. */
  static ServerStatusResponse status(int webPort, Map<String, Long> counters) {
    return ServerStatusResponse.newBuilder()
        .setServer(Metaserver.NAME)
        .setWebPort(webPort)
        .putAllCounters(counters)
        .build();
  }
}
