package dev.sailfish.ground.journal;

import dev.sailfish.ground.journal.JournalException.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
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
import java.util.concurrent.locks.LockSupport;
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
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.exceptions.ResourceUnavailableException;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal as the log of a Raft group of the peers, or of this one alone: then the log and its
 * snapshots are all there is of Raft, and nothing is sent anywhere. What peers tell each other goes
 * out over {@link PeerRpc} and comes in by {@link #receive}.
 */
final class RaftJournal implements Journal {
  private static final Logger LOG = LoggerFactory.getLogger(RaftJournal.class);

  /** Threads that take messages of other peers, and messages that wait for one. */
  private static final int RECEIVERS = 4;

  private static final int WAITING_MESSAGES = 64;

  /** Raft keeps itself in memory for so long, also when it is closed. */
  private static final long PURGE_DEADLINE_MS = 1_000;

  /** How long it may take after a failure until Raft begins to close by itself. */
  private static final int LONGEST_OWN_END_MS = 10_000;

  /** Much longer than a leader leads whom the other peers do not answer. */
  private static final Duration CONFIRM_DEADLINE = Duration.ofSeconds(10);

  private static final InetSocketAddress NOWHERE =
      InetSocketAddress.createUnresolved("localhost", 0);

  private final JournalSettings settings;
  private final ThreadPoolExecutor receivers;
  private final Map<String, InetSocketAddress> peers;
  private final RaftGroupId groupId;
  private final RaftPeerId self;
  private final ClientId client = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();
  private final EntryQueue queue = new EntryQueue(this::send);
  private final SharedConfirm confirms =
      new SharedConfirm(this::askWhetherLeading, CONFIRM_DEADLINE);
  private final Succession succession;
  private final LeaderWatch watch;
  private Machine machine;
  private JournalDirectory directory;
  private RaftStateMachine stateMachine;
  private volatile RaftServer server;
  private volatile RaftServer.Division division;

  RaftJournal(JournalSettings settings, PeerNetwork network) {
    this.settings = settings;
    this.receivers =
        new ThreadPoolExecutor(
            RECEIVERS,
            RECEIVERS,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(WAITING_MESSAGES),
            this::receiver);
    receivers.allowCoreThreadTimeOut(true);
    this.peers = hasPeers() ? settings.peers() : Map.of(settings.id(), NOWHERE);
    this.groupId =
        RaftGroupId.valueOf(
            UUID.nameUUIDFromBytes(
                ("sailfish " + settings.service() + " " + settings.cluster())
                    .getBytes(StandardCharsets.UTF_8)));
    this.self = RaftPeerId.valueOf(settings.id());
    this.succession = new Succession(network, settings, groupId);
    this.watch =
        new LeaderWatch(
            settings.service() + "-leader-watch",
            settings.id(),
            peers.keySet(),
            succession,
            succession);
  }

  private Thread receiver(Runnable work) {
    Thread thread = new Thread(work, settings.service() + "-journal");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void start(Machine applied) throws IOException {
    machine = applied;
    directory = JournalDirectory.open(settings);
    stateMachine =
        new RaftStateMachine(machine, settings.snapshotEntries(), this::snapshotIsComplete);
    PeerRpc rpc = new PeerRpc(peers.get(settings.id()), succession.links(), succession::stands);
    try {
      TornTail.cut(directory.raft());
      server =
          RaftServer.newBuilder()
              .setServerId(self)
              .setGroup(RaftGroup.valueOf(groupId, group()))
              .setStateMachine(stateMachine)
              .setProperties(RaftSettings.of(settings, directory.raft()))
              .setParameters(PeerRpcType.parameters(rpc))
              .setOption(RaftStorage.StartupOption.RECOVER)
              .build();
      server.start();
      division = server.getDivision(groupId);
      succession.started(server, division);
      if (hasPeers()) {
        watch.start();
      }
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          "the journal cannot be read or started: directory="
              + directory.root()
              + ": "
              + root(e)
              + "; docs/OPERATIONS.md says what to do about a damaged journal",
          e);
    }
    LOG.info(
        "journal ready directory={} peer={} peers={}",
        directory.root(),
        settings.id(),
        JournalSettings.text(settings.peers()));
  }

  private static String root(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return cause.toString();
  }

  private List<RaftPeer> group() {
    List<RaftPeer> group = new ArrayList<>();
    peers.forEach(
        (id, address) ->
            group.add(
                RaftPeer.newBuilder().setId(id).setAddress(JournalSettings.text(address)).build()));
    return group;
  }

  // ---- entries

  @Override
  public CompletableFuture<byte[]> submit(byte[] entry) {
    if (entry.length > RaftSettings.LONGEST_ENTRY_BYTES) {
      return refused(
          Reason.BAD_REQUEST,
          "a change is too long for the journal: bytes="
              + entry.length
              + " limit="
              + RaftSettings.LONGEST_ENTRY_BYTES);
    }
    return queue.submit(entry);
  }

  private CompletableFuture<List<byte[]>> send(List<byte[]> entries) {
    byte[] bytes = new EntryBatch(machine.nowMs(), entries).encode();
    Message message = Message.valueOf(UnsafeByteOperations.unsafeWrap(bytes));
    return ask(message, RaftClientRequest.writeRequestType())
        .thenApply(reply -> ((RaftStateMachine.Replies) reply).replies());
  }

  @Override
  public CompletableFuture<Boolean> confirm() {
    if (!hasPeers()) {
      return CompletableFuture.completedFuture(true);
    }
    return confirms.ask();
  }

  private CompletableFuture<Boolean> askWhetherLeading() {
    return ask(Message.EMPTY, RaftClientRequest.readRequestType())
        .handle((reply, error) -> error == null);
  }

  /** Fails with a {@link JournalException} where Raft says no. */
  private CompletableFuture<Message> ask(Message message, RaftClientRequest.Type type) {
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(client)
            .setServerId(self)
            .setGroupId(groupId)
            .setCallId(calls.incrementAndGet())
            .setMessage(message)
            .setType(type)
            .build();
    CompletableFuture<RaftClientReply> reply;
    try {
      // A division takes it on this thread; a server would have this thread wait for another one.
      RaftClientAsynchronousProtocol raft =
          division instanceof RaftClientAsynchronousProtocol direct ? direct : server;
      reply = raft.submitClientRequestAsync(request);
    } catch (IOException e) {
      reply = CompletableFuture.failedFuture(e);
    }
    return reply.handle(RaftJournal::answer);
  }

  private static Message answer(RaftClientReply reply, Throwable error) {
    if (error == null && reply.isSuccess()) {
      return reply.getMessage();
    }
    Throwable cause = error == null ? reply.getException() : error;
    cause = cause instanceof CompletionException ? cause.getCause() : cause;
    Reason reason = Reason.NOT_LEADER;
    String what = "this peer does not lead any more: ";
    if (cause instanceof ResourceUnavailableException) {
      reason = Reason.BUSY;
      what = "too many changes wait for the journal: ";
    } else if (cause instanceof StateMachineException) {
      reason = Reason.FAILED;
      what = "the journal refuses a change: ";
    }
    throw new CompletionException(new JournalException(reason, what + cause.getMessage()));
  }

  private static <T> CompletableFuture<T> refused(Reason reason, String message) {
    return CompletableFuture.failedFuture(new JournalException(reason, message));
  }

  /** Has Raft take note of a snapshot that is complete, and drop the log before it. */
  private void snapshotIsComplete() {
    server.snapshotManagementAsync(
        SnapshotManagementRequest.newCreate(
            client, self, groupId, calls.incrementAndGet(), PURGE_DEADLINE_MS, 1));
  }

  // ---- messages of other peers

  @Override
  public CompletableFuture<byte[]> receive(int kind, byte[] message) {
    RaftServer raft = server;
    if (!hasPeers() || raft == null) {
      return refused(
          Reason.BAD_REQUEST,
          "this one has no peers, or does not read its journal yet: peers="
              + JournalSettings.text(settings.peers())
              + "; are the peers the same for all?");
    }
    CompletableFuture<byte[]> reply = new CompletableFuture<>();
    try {
      PeerMessage received = PeerMessage.ofCode(kind);
      receivers.execute(() -> receive(raft, received, message, reply));
    } catch (JournalException e) {
      reply.completeExceptionally(e);
    } catch (RejectedExecutionException e) {
      return refused(Reason.BUSY, "too many messages of peers wait: limit=" + WAITING_MESSAGES);
    }
    return reply;
  }

  private void receive(
      RaftServer raft, PeerMessage kind, byte[] message, CompletableFuture<byte[]> reply) {
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
        case LEADER_ENDED -> reply.complete(watch.answer(message));
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
  public boolean keepsUp() {
    return succession.keepsUp();
  }

  @Override
  public boolean hasPeers() {
    return !settings.peers().isEmpty();
  }

  @Override
  public void close() {
    watch.close();
    receivers.shutdownNow();
    try {
      if (stateMachine != null) {
        stateMachine.closing();
      }
    } catch (IOException e) {
      LOG.warn("the journal closes with a snapshot that is not written", e);
    }
    try {
      if (server != null && ownEndCame()) {
        server.close();
      } else if (server != null) {
        LOG.warn("the journal is left as it is: it does not close after an entry that failed");
      }
      if (directory != null) {
        directory.close();
      }
    } catch (IOException e) {
      LOG.warn("the journal did not close well; what was acknowledged is kept", e);
    }
  }

  /**
   * After an entry that could not be applied, waits until Raft has begun to close by itself. When
   * it is told to close just before, it waits for its own thread, which spins for ever: that one is
   * to end at an index that it never reaches (StateMachineUpdater of Ratis 3.3.0).
   *
   * @return false when it has not begun in time; true also when no entry has failed
   */
  private boolean ownEndCame() {
    if (division == null || !stateMachine.isBroken()) {
      return true;
    }
    for (int i = 0; i < LONGEST_OWN_END_MS; i++) {
      if (division.getInfo().getLifeCycleState().isClosingOrClosed()) {
        return true;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    return false;
  }
}
