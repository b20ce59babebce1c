package dev.sailfish.metaserver;

import com.google.protobuf.MessageLite;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.DeleteJobRequest;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DrainRequest;
import dev.sailfish.protocol.wire.EmptyResponse;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.ListJobsRequest;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RenewLeaseRequest;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.protocol.wire.ServerStatusRequest;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import dev.sailfish.transport.Request;
import dev.sailfish.transport.RequestHandler;
import dev.sailfish.transport.RequestRefusedException;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes requests, has the state changed, encodes answers; decides nothing. Requests that need a
 * rack which is not known yet wait for it on another thread.
 */
final class RequestDispatch implements RequestHandler {
  private static final Logger LOG = LoggerFactory.getLogger(RequestDispatch.class);

  /** A name or an address: it is given to the topology script, so it must not be an option. */
  private static final Pattern HOST = Pattern.compile("(?!-)[A-Za-z0-9_.:%-]{0,255}");

  private final StateDriver driver;
  private final RackResolver racks;
  private final Executor slow;
  private final Supplier<ServerStatusResponse> status;

  /**
   * @param slow runs what has to wait for a rack
   */
  RequestDispatch(
      StateDriver driver,
      RackResolver racks,
      Executor slow,
      Supplier<ServerStatusResponse> status) {
    this.driver = driver;
    this.racks = racks;
    this.slow = slow;
    this.status = status;
  }

  @Override
  public void handle(Request request) throws RequestRefusedException {
    switch (request.operation()) {
      case BIND -> bind(request);
      case REGISTER_CHUNKSERVER -> register(request);
      case HEARTBEAT -> driver.heartbeat(request, request.header(HeartbeatRequest.parser()));
      default -> request.reply(answer(request));
    }
  }

  private MessageLite answer(Request request) throws RequestRefusedException {
    switch (request.operation()) {
      case CREATE_IFILES:
        CreateIfilesRequest create = request.header(CreateIfilesRequest.parser());
        return driver.apply((state, now) -> state.createIfiles(create, now));
      case COMMIT_MANIFEST:
        CommitManifestRequest commit = request.header(CommitManifestRequest.parser());
        return empty((state, now) -> state.commitManifest(commit, now));
      case ABORT_ATTEMPT:
        AbortAttemptRequest abort = request.header(AbortAttemptRequest.parser());
        return empty((state, now) -> state.abortAttempt(abort, now));
      case PLAN_PARTITION:
        PlanPartitionRequest plan = request.header(PlanPartitionRequest.parser());
        return driver.apply((state, now) -> state.planPartition(plan, now));
      case RENEW_LEASE:
        RenewLeaseRequest renew = request.header(RenewLeaseRequest.parser());
        return empty((state, now) -> state.renewLease(renew.getJob(), now));
      case REPORT_UNREADABLE:
        ReportUnreadableRequest unreadable = request.header(ReportUnreadableRequest.parser());
        return empty((state, now) -> state.reportUnreadable(unreadable, now));
      case DELETE_JOB:
        return delete(request);
      case LIST_JOBS:
        request.header(ListJobsRequest.parser());
        return driver.apply(MetaserverState::listJobs);
      case DESCRIBE_JOB:
        DescribeJobRequest describe = request.header(DescribeJobRequest.parser());
        return driver.apply((state, now) -> state.describeJob(describe, now));
      case DRAIN:
        DrainRequest drain = request.header(DrainRequest.parser());
        return driver.apply((state, now) -> state.drain(drain));
      case SERVER_STATUS:
        request.header(ServerStatusRequest.parser());
        return status.get();
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
    String reason = "asked for by " + request.caller();
    return empty((state, now) -> state.deleteJob(job, MetaserverCounter.JOBS_DELETED, reason, now));
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
