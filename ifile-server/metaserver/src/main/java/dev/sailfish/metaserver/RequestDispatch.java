package dev.sailfish.metaserver;

import com.google.protobuf.MessageLite;
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
import dev.sailfish.protocol.wire.ListJobsRequest;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RenewLeaseRequest;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.protocol.wire.ServerStatusRequest;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import dev.sailfish.transport.Principal;
import dev.sailfish.transport.Request;
import dev.sailfish.transport.RequestHandler;
import dev.sailfish.transport.RequestRefusedException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes requests, checks that the caller may ask that, has the state changed, encodes answers.
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
  public void handle(Request request) throws RequestRefusedException {
    if (!OF_JOBS.contains(request.operation())) {
      request.principal().requireCluster(request.operation());
    }
    switch (request.operation()) {
      case BIND -> bind(request);
      case REGISTER_CHUNKSERVER -> register(request);
      case HEARTBEAT -> driver.heartbeat(request, request.header(HeartbeatRequest.parser()));
      default -> request.reply(answer(request));
    }
  }

  private MessageLite answer(Request request) throws RequestRefusedException {
    Principal caller = request.principal();
    switch (request.operation()) {
      case CREATE_IFILES:
        CreateIfilesRequest create = request.header(CreateIfilesRequest.parser());
        caller.requireJob(create.getJob());
        return driver.apply((state, now) -> state.createIfiles(create, now));
      case COMMIT_MANIFEST:
        CommitManifestRequest commit = request.header(CommitManifestRequest.parser());
        caller.requireJob(commit.getJob());
        return empty((state, now) -> state.commitManifest(commit, now));
      case ABORT_ATTEMPT:
        AbortAttemptRequest abort = request.header(AbortAttemptRequest.parser());
        caller.requireJob(abort.getJob());
        return empty((state, now) -> state.abortAttempt(abort, now));
      case PLAN_PARTITION:
        PlanPartitionRequest plan = request.header(PlanPartitionRequest.parser());
        caller.requireJob(plan.getJob());
        return driver.apply((state, now) -> state.planPartition(plan, now));
      case RENEW_LEASE:
        RenewLeaseRequest renew = request.header(RenewLeaseRequest.parser());
        caller.requireJob(renew.getJob());
        return empty((state, now) -> state.renewLease(renew.getJob(), now));
      case REPORT_UNREADABLE:
        ReportUnreadableRequest unreadable = request.header(ReportUnreadableRequest.parser());
        caller.requireJob(unreadable.getJob());
        return empty((state, now) -> state.reportUnreadable(unreadable, now));
      case DELETE_JOB:
        return delete(request);
      case LIST_JOBS:
        request.header(ListJobsRequest.parser());
        return driver.apply(MetaserverState::listJobs);
      case DESCRIBE_JOB:
        DescribeJobRequest describe = request.header(DescribeJobRequest.parser());
        caller.requireJob(describe.getJob());
        return driver.apply((state, now) -> state.describeJob(describe, now));
      case DRAIN:
        DrainRequest drain = request.header(DrainRequest.parser());
        return driver.apply((state, now) -> state.drain(drain));
      case SERVER_STATUS:
        request.header(ServerStatusRequest.parser());
        return status.get();
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

  private MessageLite delete(Request request) throws RequestRefusedException {
    String job = request.header(DeleteJobRequest.parser()).getJob();
    request.principal().requireJob(job);
    String reason = "asked for by " + request.caller();
    return empty((state, now) -> state.deleteJob(job, MetaserverCounter.JOBS_DELETED, reason, now));
  }

  private MessageLite jobKey(Request request) throws RequestRefusedException {
    String job = request.header(GetJobKeyRequest.parser()).getJob();
    if (authenticator.isEmpty()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST, "this metaserver authenticates nobody and has no keys: job=" + job);
    }
    return authenticator.get().seal(job, request.session());
  }

  /** A change without an answer of its own. */
  private interface Change {
    void apply(MetaserverState state, long nowMs) throws RequestRefusedException;
  }

  private EmptyResponse empty(Change change) throws RequestRefusedException {
    return driver.apply(
        (state, now) -> {
          change.apply(state, now);
          return EmptyResponse.getDefaultInstance();
        });
  }

  private void bind(Request request) throws RequestRefusedException {
    BindRequest bind = request.header(BindRequest.parser());
    request.principal().requireJob(bind.getJob());
    withRack(
        request, bind.getHost(), rack -> driver.apply((state, now) -> state.bind(bind, rack, now)));
  }

  private void register(Request request) throws RequestRefusedException {
    RegisterChunkserverRequest register = request.header(RegisterChunkserverRequest.parser());
    withRack(
        request,
        register.getHost(),
        rack -> driver.apply((state, now) -> state.register(register, rack, now)));
  }

  /** What is done once the rack is known. */
  private interface InRack {
    MessageLite apply(String rack) throws RequestRefusedException;
  }

  private void withRack(Request request, String host, InRack work) throws RequestRefusedException {
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
      request.reply(work.apply(known));
      return;
    }
    try {
      slow.execute(() -> finish(request, host, work));
    } catch (RejectedExecutionException e) {
      throw new RequestRefusedException(
          Status.BUSY, "too many hosts wait for the topology script: host=" + host);
    }
  }

  private void finish(Request request, String host, InRack work) {
    MessageLite answer;
    try {
      answer = work.apply(racks.resolve(host));
    } catch (RequestRefusedException e) {
      request.fail(e.status(), e.getMessage());
      return;
    } catch (RuntimeException e) {
      LOG.error("request failed: operation={} caller={}", request.operation(), request.caller(), e);
      request.fail(Status.INTERNAL, "metaserver failed at " + request.operation() + ": " + e);
      return;
    }
    request.reply(answer);
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
