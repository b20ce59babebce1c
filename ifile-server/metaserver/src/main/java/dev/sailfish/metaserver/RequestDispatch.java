package dev.sailfish.metaserver;

import com.google.protobuf.MessageLite;
import dev.sailfish.metaserver.wire.Bind;
import dev.sailfish.metaserver.wire.CloseChunks;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.metaserver.wire.Register;
import dev.sailfish.metaserver.wire.Reports;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.DeleteJobRequest;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.EmptyResponse;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.ListJobsRequest;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RenewLeaseRequest;
import dev.sailfish.protocol.wire.ServerStatusRequest;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import dev.sailfish.transport.Request;
import dev.sailfish.transport.RequestHandler;
import dev.sailfish.transport.RequestRefusedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes requests, has the state looked at or changed, encodes answers; decides nothing. Changes
 * are answered when they are journaled and made, on the journal's thread. Requests that need a rack
 * which is not known yet wait for it on another thread.
 */
final class RequestDispatch implements RequestHandler {
  private static final Logger LOG = LoggerFactory.getLogger(RequestDispatch.class);

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
      case CREATE_IFILES ->
          change(request, entry().setCreate(request.header(CreateIfilesRequest.parser())));
      case BIND -> bind(request);
      case COMMIT_MANIFEST ->
          change(request, entry().setCommit(request.header(CommitManifestRequest.parser())));
      case ABORT_ATTEMPT ->
          change(request, entry().setAbort(request.header(AbortAttemptRequest.parser())));
      case DELETE_JOB -> delete(request);
      case PLAN_PARTITION -> plan(request);
      case REGISTER_CHUNKSERVER -> register(request);
      case HEARTBEAT -> heartbeat(request);
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

  private static StateDriver.Call<MessageLite> reading(Request request)
      throws RequestRefusedException {
    switch (request.operation()) {
      case RENEW_LEASE:
        RenewLeaseRequest renew = request.header(RenewLeaseRequest.parser());
        return (state, now) -> {
          state.renewLease(renew.getJob(), now);
          return EmptyResponse.getDefaultInstance();
        };
      case LIST_JOBS:
        request.header(ListJobsRequest.parser());
        return MetaserverState::listJobs;
      case DESCRIBE_JOB:
        DescribeJobRequest describe = request.header(DescribeJobRequest.parser());
        return (state, now) -> state.describeJob(describe, now);
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
    } catch (RequestRefusedException e) {
      request.fail(e.status(), e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("request failed: operation={} caller={}", request.operation(), request.caller(), e);
      request.fail(Status.INTERNAL, "metaserver failed at " + request.operation() + ": " + e);
    }
  }

  private void plan(Request request) throws RequestRefusedException {
    PlanPartitionRequest asked = request.header(PlanPartitionRequest.parser());
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
              if (error != null) {
                request.fail(Status.INTERNAL, "the metaserver's journal fails: " + error);
              } else if (reply.getStatus() != 0) {
                request.fail(Status.ofCode(reply.getStatus()), reply.getMessage());
              } else {
                request.reply(answer.apply(reply));
              }
            });
  }

  private static MessageLite response(JournalReply reply) {
    return switch (reply.getResponseCase()) {
      case CREATE -> reply.getCreate();
      case BIND -> reply.getBind();
      case REGISTER -> reply.getRegister();
      default -> EmptyResponse.getDefaultInstance();
    };
  }

  private void delete(Request request) throws RequestRefusedException {
    String job = request.header(DeleteJobRequest.parser()).getJob();
    String reason = "asked for by " + request.caller();
    change(request, StateDriver.end(job, EndJob.Cause.ASKED, reason));
  }

  private void heartbeat(Request request) throws RequestRefusedException {
    HeartbeatRequest heartbeat = request.header(HeartbeatRequest.parser());
    String server = heartbeat.getServerId();
    boolean met = driver.lead((state, now) -> state.isMet(server));
    if (heartbeat.getChangedCount() == 0 || !met) {
      driver.heartbeat(request, heartbeat);
      return;
    }
    Reports reports =
        Reports.newBuilder().setServerId(server).addAllChunks(heartbeat.getChangedList()).build();
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

  private void bind(Request request) throws RequestRefusedException {
    BindRequest bind = request.header(BindRequest.parser());
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
