package dev.sailfish.protocol;

import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Operation.Caller;
import dev.sailfish.ground.wire.Service;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.GetDelegationTokenRequest;
import dev.sailfish.ground.wire.message.GetDelegationTokenResponse;
import dev.sailfish.ground.wire.message.JournalRequest;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.AppendRequest;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import dev.sailfish.protocol.wire.DeleteJobRequest;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.DrainRequest;
import dev.sailfish.protocol.wire.DrainResponse;
import dev.sailfish.protocol.wire.GetJobKeyRequest;
import dev.sailfish.protocol.wire.GetJobKeyResponse;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.ListChunksRequest;
import dev.sailfish.protocol.wire.ListChunksResponse;
import dev.sailfish.protocol.wire.ListJobsRequest;
import dev.sailfish.protocol.wire.ListJobsResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.ReadRequest;
import dev.sailfish.protocol.wire.ReadResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import dev.sailfish.protocol.wire.RenewLeaseRequest;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.protocol.wire.ServerStatusRequest;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import dev.sailfish.protocol.wire.SumWinnersRequest;
import dev.sailfish.protocol.wire.SumWinnersResponse;
import dev.sailfish.protocol.wire.SummarizeIndexRequest;
import dev.sailfish.protocol.wire.SummarizeIndexResponse;

/**
 * The operations of I-file servers: those of the metaserver and those of the chunkserver. Codes are
 * part of the protocol: a new operation gets a new one.
 */
public final class IfileService {
  /** All of them. */
  public static final Service SERVICE = new Service(2, 63);

  /** Creates a job's I-files. */
  public static final Operation<CreateIfilesRequest, CreateIfilesResponse> CREATE_IFILES =
      SERVICE.operation(2, "CREATE_IFILES", Caller.JOB);

  /** Binds an appender to chunks. */
  public static final Operation<BindRequest, BindResponse> BIND =
      SERVICE.operation(3, "BIND", Caller.JOB);

  /** Stores what a map attempt wrote. */
  public static final Operation<CommitManifestRequest, EmptyResponse> COMMIT_MANIFEST =
      SERVICE.operation(4, "COMMIT_MANIFEST", Caller.JOB);

  /** Gives an attempt's bindings back. */
  public static final Operation<AbortAttemptRequest, EmptyResponse> ABORT_ATTEMPT =
      SERVICE.operation(5, "ABORT_ATTEMPT", Caller.JOB);

  /** What to read for a partition. */
  public static final Operation<PlanPartitionRequest, PlanPartitionResponse> PLAN_PARTITION =
      SERVICE.operation(6, "PLAN_PARTITION", Caller.JOB);

  /** Keeps a job alive. */
  public static final Operation<RenewLeaseRequest, EmptyResponse> RENEW_LEASE =
      SERVICE.operation(7, "RENEW_LEASE", Caller.JOB);

  /** Ends a job and frees its chunks. */
  public static final Operation<DeleteJobRequest, EmptyResponse> DELETE_JOB =
      SERVICE.operation(8, "DELETE_JOB", Caller.JOB);

  /** All jobs. */
  public static final Operation<ListJobsRequest, ListJobsResponse> LIST_JOBS =
      SERVICE.operation(9, "LIST_JOBS", Caller.CLUSTER);

  /** One job and its chunks. */
  public static final Operation<DescribeJobRequest, DescribeJobResponse> DESCRIBE_JOB =
      SERVICE.operation(10, "DESCRIBE_JOB", Caller.JOB);

  /** A chunkserver joins. */
  public static final Operation<RegisterChunkserverRequest, RegisterChunkserverResponse>
      REGISTER_CHUNKSERVER = SERVICE.operation(11, "REGISTER_CHUNKSERVER", Caller.CLUSTER);

  /** A chunkserver reports and waits for commands. */
  public static final Operation<HeartbeatRequest, HeartbeatResponse> HEARTBEAT =
      SERVICE.operation(12, "HEARTBEAT", Caller.CLUSTER);

  /** Appends one block to a chunk. */
  public static final Operation<AppendRequest, EmptyResponse> APPEND =
      SERVICE.operation(13, "APPEND", Caller.JOB);

  /** Waits until a chunk is sorted, and gets its tail. */
  public static final Operation<AwaitSortedRequest, AwaitSortedResponse> AWAIT_SORTED =
      SERVICE.operation(14, "AWAIT_SORTED", Caller.JOB);

  /** Reads by offset. */
  public static final Operation<ReadRequest, ReadResponse> READ =
      SERVICE.operation(15, "READ", Caller.JOB);

  /** Chunks that a chunkserver holds. */
  public static final Operation<ListChunksRequest, ListChunksResponse> LIST_CHUNKS =
      SERVICE.operation(17, "LIST_CHUNKS", Caller.JOB);

  /** Counters of a server. */
  public static final Operation<ServerStatusRequest, ServerStatusResponse> SERVER_STATUS =
      SERVICE.operation(18, "SERVER_STATUS", Caller.CLUSTER);

  /** Names chunks that could not be read. */
  public static final Operation<ReportUnreadableRequest, EmptyResponse> REPORT_UNREADABLE =
      SERVICE.operation(19, "REPORT_UNREADABLE", Caller.JOB);

  /** Empties a chunkserver that is to leave. */
  public static final Operation<DrainRequest, DrainResponse> DRAIN =
      SERVICE.operation(20, "DRAIN", Caller.CLUSTER);

  /** The access key of a job. */
  public static final Operation<GetJobKeyRequest, GetJobKeyResponse> GET_JOB_KEY =
      SERVICE.operation(22, "GET_JOB_KEY", Caller.CLUSTER);

  /** What the journal of one metaserver tells that of another. */
  public static final Operation<JournalRequest, EmptyResponse> JOURNAL =
      SERVICE.operation(23, "JOURNAL", Caller.CLUSTER);

  /** A token with which a user's jobs are admitted. */
  public static final Operation<GetDelegationTokenRequest, GetDelegationTokenResponse>
      GET_DELEGATION_TOKEN = SERVICE.operation(28, "GET_DELEGATION_TOKEN", Caller.USER);

  /** Sums over the indexes of chunks. */
  public static final Operation<SummarizeIndexRequest, SummarizeIndexResponse> SUMMARIZE_INDEX =
      SERVICE.operation(29, "SUMMARIZE_INDEX", Caller.JOB);

  /** What winning attempts wrote. */
  public static final Operation<SumWinnersRequest, SumWinnersResponse> SUM_WINNERS =
      SERVICE.operation(30, "SUM_WINNERS", Caller.JOB);

  private IfileService() {}
}
