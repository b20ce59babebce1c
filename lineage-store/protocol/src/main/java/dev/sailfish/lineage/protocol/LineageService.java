package dev.sailfish.lineage.protocol;

import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Operation.Caller;
import dev.sailfish.ground.wire.Service;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.GetDelegationTokenRequest;
import dev.sailfish.ground.wire.message.GetDelegationTokenResponse;
import dev.sailfish.ground.wire.message.JournalRequest;
import dev.sailfish.lineage.protocol.wire.BalanceRequest;
import dev.sailfish.lineage.protocol.wire.BalanceResponse;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CheckpointPathRequest;
import dev.sailfish.lineage.protocol.wire.CheckpointPathResponse;
import dev.sailfish.lineage.protocol.wire.DrainWorkerRequest;
import dev.sailfish.lineage.protocol.wire.DrainWorkerResponse;
import dev.sailfish.lineage.protocol.wire.FindProgramsRequest;
import dev.sailfish.lineage.protocol.wire.FindProgramsResponse;
import dev.sailfish.lineage.protocol.wire.FreeFilesRequest;
import dev.sailfish.lineage.protocol.wire.FreeFilesResponse;
import dev.sailfish.lineage.protocol.wire.GetDependencyRequest;
import dev.sailfish.lineage.protocol.wire.GetDependencyResponse;
import dev.sailfish.lineage.protocol.wire.GrantWritingRequest;
import dev.sailfish.lineage.protocol.wire.GrantWritingResponse;
import dev.sailfish.lineage.protocol.wire.ListCheckpointsRequest;
import dev.sailfish.lineage.protocol.wire.ListCheckpointsResponse;
import dev.sailfish.lineage.protocol.wire.ListDependenciesRequest;
import dev.sailfish.lineage.protocol.wire.ListDependenciesResponse;
import dev.sailfish.lineage.protocol.wire.ListEntriesRequest;
import dev.sailfish.lineage.protocol.wire.ListEntriesResponse;
import dev.sailfish.lineage.protocol.wire.ListLostFilesRequest;
import dev.sailfish.lineage.protocol.wire.ListLostFilesResponse;
import dev.sailfish.lineage.protocol.wire.ListMountsRequest;
import dev.sailfish.lineage.protocol.wire.ListMountsResponse;
import dev.sailfish.lineage.protocol.wire.OpenFileRequest;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerRequest;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerResponse;
import dev.sailfish.lineage.protocol.wire.RenewClientRequest;
import dev.sailfish.lineage.protocol.wire.RenewClientResponse;
import dev.sailfish.lineage.protocol.wire.ReportBlocksRequest;
import dev.sailfish.lineage.protocol.wire.ReportBlocksResponse;
import dev.sailfish.lineage.protocol.wire.ReportRecomputeRequest;
import dev.sailfish.lineage.protocol.wire.ReportRecomputeResponse;
import dev.sailfish.lineage.protocol.wire.ReportRequest;
import dev.sailfish.lineage.protocol.wire.ReportResponse;
import dev.sailfish.lineage.protocol.wire.StatRequest;
import dev.sailfish.lineage.protocol.wire.StatResponse;
import dev.sailfish.lineage.protocol.wire.UnderFileRequest;
import dev.sailfish.lineage.protocol.wire.UnderFileResponse;
import dev.sailfish.lineage.protocol.wire.UseRequest;
import dev.sailfish.lineage.protocol.wire.UseResponse;
import dev.sailfish.lineage.protocol.wire.WantFileRequest;
import dev.sailfish.lineage.protocol.wire.WantFileResponse;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatRequest;
import dev.sailfish.lineage.protocol.wire.WorkerHeartbeatResponse;

/** The operations of the lineage store's master. */
public final class LineageService {
  /** All of them. */
  public static final Service SERVICE = new Service(64, 127);

  /** How long the cause of a file that is given up may be, and a progress, in characters. */
  public static final int LONGEST_SENTENCE = 1_000;

  /**
   * From how many bytes on a program is large: a client asks for those that the user has stored
   * before it hashes one.
   */
  public static final long LARGE_PROGRAM = 1 << 20;

  /** What delegation tokens of the store are called in their key. */
  public static final String TOKENS = "store token";

  /** Changes the namespace, once. */
  public static final Operation<ChangeRequest, ChangeResponse> CHANGE =
      SERVICE.operation(64, "CHANGE", Caller.BEARER);

  /** What is known of a file. */
  public static final Operation<StatRequest, StatResponse> STAT =
      SERVICE.operation(65, "STAT", Caller.BEARER);

  /** What is in a directory. */
  public static final Operation<ListEntriesRequest, ListEntriesResponse> LIST =
      SERVICE.operation(66, "LIST", Caller.BEARER);

  /** A client lives. */
  public static final Operation<RenewClientRequest, RenewClientResponse> RENEW =
      SERVICE.operation(67, "RENEW", Caller.BEARER);

  /** What is known of a file that is to be read, and where its blocks are. */
  public static final Operation<OpenFileRequest, OpenFileResponse> OPEN =
      SERVICE.operation(68, "OPEN", Caller.BEARER);

  /** What is mounted where. */
  public static final Operation<ListMountsRequest, ListMountsResponse> LIST_MOUNTS =
      SERVICE.operation(69, "LIST_MOUNTS", Caller.BEARER);

  /** Lets blocks go of files that are below, too. */
  public static final Operation<FreeFilesRequest, FreeFilesResponse> FREE =
      SERVICE.operation(70, "FREE", Caller.BEARER);

  /** What a worker has to know to read or write a file below. */
  public static final Operation<UnderFileRequest, UnderFileResponse> UNDER_FILE =
      SERVICE.operation(83, "UNDER_FILE", Caller.CLUSTER);

  /** The writer of a file may go on, and where. */
  public static final Operation<GrantWritingRequest, GrantWritingResponse> GRANT_WRITING =
      SERVICE.operation(78, "GRANT_WRITING", Caller.BEARER);

  /**
   * Begins a file under an id that is kept for the client: a change that creates a file, without a
   * number. The journal gets it when somebody asks for the file, or it is not complete soon.
   */
  public static final Operation<ChangeRequest, ChangeResponse> ANNOUNCE =
      SERVICE.operation(84, "ANNOUNCE_FILE", Caller.BEARER);

  /** Gives a user with Kerberos a token by which the store's servers know him. */
  public static final Operation<GetDelegationTokenRequest, GetDelegationTokenResponse>
      GET_DELEGATION_TOKEN = SERVICE.operation(79, "GET_DELEGATION_TOKEN", Caller.USER);

  /** A worker comes, with nothing yet. */
  public static final Operation<RegisterWorkerRequest, RegisterWorkerResponse> REGISTER_WORKER =
      SERVICE.operation(80, "REGISTER_WORKER", Caller.CLUSTER);

  /** What a worker has, or has no more. */
  public static final Operation<ReportBlocksRequest, ReportBlocksResponse> REPORT_BLOCKS =
      SERVICE.operation(81, "REPORT_BLOCKS", Caller.CLUSTER);

  /** A worker lives. */
  public static final Operation<WorkerHeartbeatRequest, WorkerHeartbeatResponse> WORKER_HEARTBEAT =
      SERVICE.operation(82, "WORKER_HEARTBEAT", Caller.CLUSTER);

  /** The quota of a directory, and how long a file is to live. */
  public static final Operation<UseRequest, UseResponse> USE =
      SERVICE.operation(90, "USE", Caller.BEARER);

  /** What there is as a whole, and what is wrong. */
  public static final Operation<ReportRequest, ReportResponse> REPORT =
      SERVICE.operation(91, "REPORT", Caller.CLUSTER);

  /** Has a worker hand its blocks over. */
  public static final Operation<DrainWorkerRequest, DrainWorkerResponse> DRAIN_WORKER =
      SERVICE.operation(92, "DRAIN_WORKER", Caller.CLUSTER);

  /** Moves blocks from fuller workers to emptier ones. */
  public static final Operation<BalanceRequest, BalanceResponse> BALANCE =
      SERVICE.operation(93, "BALANCE", Caller.CLUSTER);

  /** One lineage record. */
  public static final Operation<GetDependencyRequest, GetDependencyResponse> GET_DEPENDENCY =
      SERVICE.operation(94, "GET_DEPENDENCY", Caller.BEARER);

  /** All lineage records, or those that read one file. */
  public static final Operation<ListDependenciesRequest, ListDependenciesResponse>
      LIST_DEPENDENCIES = SERVICE.operation(95, "LIST_DEPENDENCIES", Caller.BEARER);

  /** Lost files that can be recomputed. */
  public static final Operation<ListLostFilesRequest, ListLostFilesResponse> LIST_LOST_FILES =
      SERVICE.operation(96, "LIST_LOST_FILES", Caller.BEARER);

  /** Has files copied below before all others. */
  public static final Operation<CheckpointPathRequest, CheckpointPathResponse> CHECKPOINT_PATH =
      SERVICE.operation(106, "CHECKPOINT_PATH", Caller.BEARER);

  /** What is copied below next. */
  public static final Operation<ListCheckpointsRequest, ListCheckpointsResponse> LIST_CHECKPOINTS =
      SERVICE.operation(107, "LIST_CHECKPOINTS", Caller.BEARER);

  /** A reader waits for a lost file. */
  public static final Operation<WantFileRequest, WantFileResponse> WANT_FILE =
      SERVICE.operation(98, "WANT_FILE", Caller.BEARER);

  /** How far a recompute is, for readers that wait. */
  public static final Operation<ReportRecomputeRequest, ReportRecomputeResponse> REPORT_RECOMPUTE =
      SERVICE.operation(99, "REPORT_RECOMPUTE", Caller.BEARER);

  /** Large programs that a user has stored, by their length. */
  public static final Operation<FindProgramsRequest, FindProgramsResponse> FIND_PROGRAMS =
      SERVICE.operation(97, "FIND_PROGRAMS", Caller.BEARER);

  /** Between masters. */
  public static final Operation<JournalRequest, EmptyResponse> JOURNAL =
      SERVICE.operation(127, "JOURNAL", Caller.CLUSTER);

  private LineageService() {}
}
