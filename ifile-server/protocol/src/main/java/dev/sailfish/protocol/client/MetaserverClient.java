package dev.sailfish.protocol.client;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.LeaderClient;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.RemoteException;
import dev.sailfish.ground.wire.secret.Handshake;
import dev.sailfish.ground.wire.secret.SealedKey;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
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
import dev.sailfish.protocol.wire.ListJobsRequest;
import dev.sailfish.protocol.wire.ListJobsResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import dev.sailfish.protocol.wire.RenewLeaseRequest;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.protocol.wire.ServerStatusRequest;
import dev.sailfish.protocol.wire.ServerStatusResponse;
import dev.sailfish.protocol.wire.SumWinnersRequest;
import dev.sailfish.protocol.wire.SumWinnersResponse;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * What tasks, tools and chunkservers ask of the metaserver that leads, one method per operation,
 * each waiting for its reply; see {@link LeaderClient}. For one thread at a time.
 */
public final class MetaserverClient implements Closeable {
  private final LeaderClient leader;
  private final Credentials credentials;

  /** Asks over a connection that is there; {@code credentials} are those of {@code leader}. */
  public MetaserverClient(LeaderClient leader, Credentials credentials) {
    this.leader = leader;
    this.credentials = credentials;
  }

  /**
   * Does not connect yet.
   *
   * @param network what the connections go over
   * @param addresses of all metaservers
   * @param caller who calls, for the server's log
   * @param credentials who calls, for what it may do
   * @param deadline of each connect and of each reply
   */
  public MetaserverClient(
      Network network,
      List<InetSocketAddress> addresses,
      String caller,
      Credentials credentials,
      Duration deadline) {
    this(new LeaderClient(network, addresses, caller, credentials, deadline), credentials);
  }

  /** Connects over TCP to a metaserver that authenticates nobody. */
  public static MetaserverClient connect(
      InetSocketAddress address, String caller, Duration deadline) throws IOException {
    return connect(List.of(address), caller, Credentials.none(), deadline);
  }

  /** Connects over TCP to the first metaserver that can be reached; they authenticate nobody. */
  public static MetaserverClient connect(
      List<InetSocketAddress> addresses, String caller, Duration deadline) throws IOException {
    return connect(addresses, caller, Credentials.none(), deadline);
  }

  /** Connects over TCP to the only metaserver; see the last {@code connect}. */
  public static MetaserverClient connect(
      InetSocketAddress address, String caller, Credentials credentials, Duration deadline)
      throws IOException {
    return connect(List.of(address), caller, credentials, deadline);
  }

  /** Connects over TCP; see the last {@code connect}. */
  public static MetaserverClient connect(
      List<InetSocketAddress> addresses, String caller, Credentials credentials, Duration deadline)
      throws IOException {
    return connect(Network.SOCKETS, addresses, caller, credentials, deadline);
  }

  /**
   * Connects to the first metaserver that can be reached, as {@link LeaderClient#connect} does.
   *
   * @param addresses at least one
   */
  public static MetaserverClient connect(
      Network network,
      List<InetSocketAddress> addresses,
      String caller,
      Credentials credentials,
      Duration deadline)
      throws IOException {
    MetaserverClient client =
        new MetaserverClient(network, addresses, caller, credentials, deadline);
    client.leader.connect();
    return client;
  }

  /** By which its deadlines pass. */
  public Clock clock() {
    return leader.clock();
  }

  private <Q extends MessageLite, T extends MessageLite> T call(
      Operation<Q, T> operation, Q request, Parser<T> parser) throws IOException {
    return leader.call(operation, request, parser);
  }

  /** Creates the I-files of a job. */
  public CreateIfilesResponse createIfiles(CreateIfilesRequest request) throws IOException {
    return call(IfileService.CREATE_IFILES, request, CreateIfilesResponse.parser());
  }

  /** Binds an appender to chunks. */
  public BindResponse bind(BindRequest request) throws IOException {
    return call(IfileService.BIND, request, BindResponse.parser());
  }

  /** Stores what a map attempt wrote and gives its bindings back. */
  public void commitManifest(CommitManifestRequest request) throws IOException {
    call(IfileService.COMMIT_MANIFEST, request, null);
  }

  /** Gives the bindings of an attempt back that will not commit. */
  public void abortAttempt(AbortAttemptRequest request) throws IOException {
    call(IfileService.ABORT_ATTEMPT, request, null);
  }

  /** Asks what to read for a partition. */
  public PlanPartitionResponse planPartition(PlanPartitionRequest request) throws IOException {
    return call(IfileService.PLAN_PARTITION, request, PlanPartitionResponse.parser());
  }

  /** What winning attempts wrote, over all partitions; asks as often as it takes to get these. */
  public SumWinnersResponse sumWinners(SumWinnersRequest request) throws IOException {
    SumWinnersResponse page = call(IfileService.SUM_WINNERS, request, SumWinnersResponse.parser());
    SumWinnersResponse.Builder all = page.toBuilder().clearMore();
    while (page.getMore() && page.getRecordsCount() > 0) {
      SumWinnersRequest next = request.toBuilder().setFromPartition(all.getRecordsCount()).build();
      page = call(IfileService.SUM_WINNERS, next, SumWinnersResponse.parser());
      all.addAllRecords(page.getRecordsList())
          .addAllRawBytes(page.getRawBytesList())
          .addAllRecordBytes(page.getRecordBytesList())
          .addAllChecksums(page.getChecksumsList());
    }
    return all.build();
  }

  /** Says that chunks could not be read. */
  public void reportUnreadable(ReportUnreadableRequest request) throws IOException {
    call(IfileService.REPORT_UNREADABLE, request, null);
  }

  /** Keeps a job's chunks alive. */
  public void renewLease(String job) throws IOException {
    call(IfileService.RENEW_LEASE, RenewLeaseRequest.newBuilder().setJob(job).build(), null);
  }

  /**
   * Drops what is kept of a job that has ended.
   *
   * @throws RemoteException JOB_UNKNOWN when nothing is kept of it, CONFLICT while it lives
   */
  public void dropKept(String job) throws IOException {
    call(
        IfileService.DELETE_JOB,
        DeleteJobRequest.newBuilder().setJob(job).setKept(true).build(),
        null);
  }

  /** Ends a job and frees its chunks, unless they are to be kept; no error when it is unknown. */
  public void deleteJob(String job) throws IOException {
    call(IfileService.DELETE_JOB, DeleteJobRequest.newBuilder().setJob(job).build(), null);
  }

  /** All jobs. */
  public ListJobsResponse listJobs() throws IOException {
    return call(
        IfileService.LIST_JOBS, ListJobsRequest.getDefaultInstance(), ListJobsResponse.parser());
  }

  /**
   * One job with its chunks; asks as often as it takes to get all of them.
   *
   * @param partition only chunks of this partition, or -1 for all
   */
  public DescribeJobResponse describeJob(String job, int partition) throws IOException {
    DescribeJobRequest first =
        DescribeJobRequest.newBuilder().setJob(job).setPartition(partition).build();
    DescribeJobResponse page = describeJob(first);
    if (!page.getMore()) {
      return page;
    }
    DescribeJobResponse.Builder all = page.toBuilder().clearMore();
    while (page.getMore() && page.getChunksCount() > 0) {
      long last = page.getChunks(page.getChunksCount() - 1).getChunk();
      page = describeJob(first.toBuilder().setAfterChunk(last).build());
      all.addAllChunks(page.getChunksList());
    }
    return all.build();
  }

  /** One page of a job's chunks. */
  public DescribeJobResponse describeJob(DescribeJobRequest request) throws IOException {
    return call(IfileService.DESCRIBE_JOB, request, DescribeJobResponse.parser());
  }

  /**
   * What a job's data is encrypted with where it rests; for those with the cluster's secret.
   *
   * @throws RemoteException JOB_UNKNOWN when the job has ended
   */
  public byte[] dataKey(String job) throws IOException {
    return Handshake.dataKey(accessKey(job), job);
  }

  /**
   * The access key of a job, for those with the cluster's secret.
   *
   * @throws RemoteException JOB_UNKNOWN when the job has ended or was never admitted
   * @throws IOException when no metaserver can be asked, or the answer is not from one
   */
  public byte[] accessKey(String job) throws IOException {
    GetJobKeyResponse answer =
        call(
            IfileService.GET_JOB_KEY,
            GetJobKeyRequest.newBuilder().setJob(job).build(),
            GetJobKeyResponse.parser());
    SealedKey sealed = new SealedKey(answer.getSalt(), answer.getSealedKey(), answer.getMac());
    return credentials.open(sealed, leader.session(), job);
  }

  /** Tells who is here, and with which chunks. */
  public RegisterChunkserverResponse register(RegisterChunkserverRequest request)
      throws IOException {
    return call(IfileService.REGISTER_CHUNKSERVER, request, RegisterChunkserverResponse.parser());
  }

  /** Reports what changed, and waits for commands as long as the request allows. */
  public HeartbeatResponse heartbeat(HeartbeatRequest request) throws IOException {
    return call(IfileService.HEARTBEAT, request, HeartbeatResponse.parser());
  }

  /**
   * Has a chunkserver hand its chunks over to others; repeated, tells how far it is.
   *
   * @param server host:port as it is registered, or its id
   */
  public DrainResponse drain(String server) throws IOException {
    return call(
        IfileService.DRAIN,
        DrainRequest.newBuilder().setServer(server).build(),
        DrainResponse.parser());
  }

  /** The server's counters. */
  public ServerStatusResponse status() throws IOException {
    return call(
        IfileService.SERVER_STATUS,
        ServerStatusRequest.getDefaultInstance(),
        ServerStatusResponse.parser());
  }

  /** Closes the connection; the next request opens another one. */
  @Override
  public void close() {
    leader.close();
  }
}
