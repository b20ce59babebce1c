package dev.sailfish.metaserver;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.transport.ErrorGuard;
import dev.sailfish.transport.RequestRefusedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.ResourceUnavailableException;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal as the log of a Raft group of the peers, or of this metaserver alone: then the log
 * and its snapshots are all there is of Raft, and nothing is sent anywhere. What peers tell each
 * other goes out over {@link PeerRpc} and comes in by {@link #receive}.
 */
final class RaftJournal implements Journal {
  private static final Logger LOG = LoggerFactory.getLogger(RaftJournal.class);

  /** Of each message to another metaserver. */
  private static final Duration PEER_DEADLINE = Duration.ofSeconds(3);

  /** Threads that take messages of other metaservers, and messages that wait for one. */
  private static final int RECEIVERS = 4;

  private static final int WAITING_MESSAGES = 64;

  /** Where a metaserver without peers is, for Raft, which does not connect to it. */
  private static final HostPort ALONE = new HostPort("localhost", 0);

  private final JournalConfig config;
  private final Network network;
  private final Credentials credentials;
  private final ThreadPoolExecutor receivers;
  private final RaftGroupId groupId;
  private final RaftPeerId self;
  private final ClientId client = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();
  private JournalDirectory directory;
  private RaftStateMachine stateMachine;
  private volatile RaftServer server;
  private volatile RaftServer.Division division;

  /**
   * @param network what other metaservers are reached over
   * @param credentials this metaserver's, towards them
   */
  RaftJournal(JournalConfig config, Network network, Credentials credentials) {
    this.config = config;
    this.network = network;
    this.credentials = credentials;
    this.receivers =
        new ThreadPoolExecutor(
            RECEIVERS,
            RECEIVERS,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(WAITING_MESSAGES),
            RaftJournal::receiver);
    receivers.allowCoreThreadTimeOut(true);
    this.groupId =
        RaftGroupId.valueOf(
            UUID.nameUUIDFromBytes(
                ("sailfish metaserver " + config.cluster()).getBytes(StandardCharsets.UTF_8)));
    this.self = RaftPeerId.valueOf(config.id());
  }

  private static Thread receiver(Runnable work) {
    Thread thread = new Thread(work, Metaserver.NAME + "-journal");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void start(Machine machine) throws IOException {
    directory = JournalDirectory.open(config.directory().orElseThrow(), config);
    stateMachine = new RaftStateMachine(machine);
    try {
      server =
          RaftServer.newBuilder()
              .setServerId(self)
              .setGroup(RaftGroup.valueOf(groupId, peers()))
              .setStateMachine(stateMachine)
              .setProperties(RaftSettings.of(config, directory.raft()))
              .setParameters(PeerRpcType.parameters(this::links))
              .setOption(RaftStorage.StartupOption.RECOVER)
              .build();
      server.start();
      division = server.getDivision(groupId);
    } catch (IOException | RuntimeException e) {
      ErrorGuard.check(e);
      throw new IOException(
          "the journal cannot be read or started: "
              + MetaserverKey.JOURNAL_DIR.name()
              + "="
              + directory.root()
              + ": "
              + root(e)
              + "; docs/OPERATIONS.md says what to do about a damaged journal",
          e);
    }
    LOG.info(
        "journal ready directory={} peer={} peers={}",
        directory.root(),
        config.id(),
        JournalConfig.text(config.peers()));
  }

  private static String root(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return cause.toString();
  }

  private List<RaftPeer> peers() {
    List<RaftPeer> peers = new ArrayList<>();
    config.peers().forEach((id, address) -> peers.add(peer(id, address)));
    if (peers.isEmpty()) {
      peers.add(peer(config.id(), ALONE));
    }
    return peers;
  }

  /** The way to each of the others. */
  private PeerRpc links(RpcType type) {
    Map<RaftPeerId, PeerLink> links = new HashMap<>();
    config
        .peers()
        .forEach(
            (id, address) -> {
              if (!id.equals(config.peer())) {
                links.put(
                    RaftPeerId.valueOf(id),
                    new PeerLink(
                        network,
                        credentials,
                        Metaserver.NAME + " " + config.peer(),
                        address.unresolved(),
                        PEER_DEADLINE));
              }
            });
    HostPort self = config.peers().getOrDefault(config.peer(), ALONE);
    return new PeerRpc(type, self.unresolved(), links);
  }

  private static RaftPeer peer(String id, HostPort address) {
    return RaftPeer.newBuilder().setId(id).setAddress(address.toString()).build();
  }

  @Override
  public CompletableFuture<JournalReply> submit(JournalEntry entry) {
    byte[] bytes = entry.toByteArray();
    if (bytes.length > RaftSettings.LONGEST_ENTRY.getSizeInt()) {
      return CompletableFuture.completedFuture(
          EntryApplier.refused(
              Status.BAD_REQUEST,
              "a change is too long for the journal: bytes="
                  + bytes.length
                  + " limit="
                  + RaftSettings.LONGEST_ENTRY.getSizeInt()));
    }
    Message message = Message.valueOf(UnsafeByteOperations.unsafeWrap(bytes));
    return ask(message, RaftClientRequest.writeRequestType())
        .handle((reply, error) -> error == null ? decoded(reply) : refused(error));
  }

  @Override
  public CompletableFuture<Boolean> confirm() {
    if (config.peers().isEmpty()) {
      return CompletableFuture.completedFuture(true);
    }
    return ask(Message.EMPTY, RaftClientRequest.readRequestType())
        .handle((reply, error) -> error == null && reply.isSuccess());
  }

  private CompletableFuture<RaftClientReply> ask(Message message, RaftClientRequest.Type type) {
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(client)
            .setServerId(self)
            .setGroupId(groupId)
            .setCallId(calls.incrementAndGet())
            .setMessage(message)
            .setType(type)
            .build();
    try {
      // A division takes it on this thread; a server would have this thread wait for another one.
      RaftClientAsynchronousProtocol raft =
          division instanceof RaftClientAsynchronousProtocol direct ? direct : server;
      return raft.submitClientRequestAsync(request);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static JournalReply decoded(RaftClientReply reply) {
    if (!reply.isSuccess()) {
      return refused(reply.getException());
    }
    try {
      return JournalReply.parseFrom(reply.getMessage().getContent().toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a reply was made in this process and cannot be read", e);
    }
  }

  private static JournalReply refused(Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (cause instanceof ResourceUnavailableException) {
      return EntryApplier.refused(
          Status.BUSY, "too many changes wait for the journal: " + cause.getMessage());
    }
    if (cause instanceof StateMachineException) {
      return EntryApplier.refused(Status.INTERNAL, "the journal refuses a change: " + cause);
    }
    return EntryApplier.refused(
        Status.NOT_LEADER, "this metaserver does not lead any more: " + cause.getMessage());
  }

  @Override
  public CompletableFuture<byte[]> receive(int kind, byte[] message)
      throws RequestRefusedException {
    RaftMessage received = RaftMessage.ofCode(kind);
    RaftServer raft = server;
    if (config.peers().isEmpty() || raft == null) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "this metaserver has no peers, or does not read its journal yet: peers="
              + JournalConfig.text(config.peers())
              + "; is "
              + MetaserverKey.PEERS.name()
              + " the same for all?");
    }
    CompletableFuture<byte[]> reply = new CompletableFuture<>();
    try {
      receivers.execute(() -> receive(raft, received, message, reply));
    } catch (RejectedExecutionException e) {
      throw new RequestRefusedException(
          Status.BUSY, "too many messages of other metaservers wait: limit=" + WAITING_MESSAGES);
    }
    return reply;
  }

  private static void receive(
      RaftServer raft, RaftMessage kind, byte[] message, CompletableFuture<byte[]> reply) {
    try {
      switch (kind) {
        case REQUEST_VOTE ->
            reply.complete(
                raft.requestVote(RequestVoteRequestProto.parseFrom(message)).toByteArray());
        case APPEND_ENTRIES ->
            raft.appendEntriesAsync(AppendEntriesRequestProto.parseFrom(message))
                .whenComplete(
                    (appended, error) -> {
                      if (error == null) {
                        reply.complete(appended.toByteArray());
                      } else {
                        reply.completeExceptionally(error);
                      }
                    });
        case INSTALL_SNAPSHOT ->
            reply.complete(
                raft.installSnapshot(InstallSnapshotRequestProto.parseFrom(message)).toByteArray());
        case START_LEADER_ELECTION ->
            reply.complete(
                raft.startLeaderElection(StartLeaderElectionRequestProto.parseFrom(message))
                    .toByteArray());
      }
    } catch (IOException | RuntimeException e) {
      reply.completeExceptionally(e);
    }
  }

  @Override
  public long term() {
    RaftServer.Division current = division;
    return current != null && current.getInfo().isLeaderReady()
        ? current.getInfo().getCurrentTerm()
        : 0;
  }

  @Override
  public boolean hasLeader() {
    RaftServer.Division current = division;
    return current != null && current.getInfo().getLeaderId() != null;
  }

  @Override
  public boolean hasPeers() {
    return !config.peers().isEmpty();
  }

  @Override
  public void close() {
    receivers.shutdownNow();
    if (stateMachine != null) {
      stateMachine.closing();
    }
    try {
      if (server != null) {
        server.close();
      }
      if (directory != null) {
        directory.close();
      }
    } catch (IOException e) {
      LOG.warn("the journal did not close well; what was acknowledged is kept", e);
    }
  }
}
