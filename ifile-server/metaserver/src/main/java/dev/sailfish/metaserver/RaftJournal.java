package dev.sailfish.metaserver;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.protocol.Status;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
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
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal as the log of a Raft group of the peers, or of this metaserver alone: then the log
 * and its snapshots are all there is of Raft, and nothing is sent anywhere.
 */
final class RaftJournal implements Journal {
  private static final Logger LOG = LoggerFactory.getLogger(RaftJournal.class);

  private final JournalConfig config;
  private final RaftGroupId groupId;
  private final RaftPeerId self;
  private final ClientId client = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();
  private JournalDirectory directory;
  private RaftStateMachine stateMachine;
  private RaftServer server;
  private volatile RaftServer.Division division;

  RaftJournal(JournalConfig config) {
    this.config = config;
    this.groupId =
        RaftGroupId.valueOf(
            UUID.nameUUIDFromBytes(
                ("sailfish metaserver " + config.cluster()).getBytes(StandardCharsets.UTF_8)));
    this.self = RaftPeerId.valueOf(config.id());
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
              .setOption(RaftStorage.StartupOption.RECOVER)
              .build();
      server.start();
      division = server.getDivision(groupId);
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          "the journal cannot be read or started: "
              + MetaserverKey.JOURNAL_DIR.key()
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
      peers.add(peer(config.id(), InetSocketAddress.createUnresolved("localhost", 0)));
    }
    return peers;
  }

  private static RaftPeer peer(String id, InetSocketAddress address) {
    return RaftPeer.newBuilder()
        .setId(id)
        .setAddress(address.getHostString() + ":" + address.getPort())
        .build();
  }

  @Override
  public CompletableFuture<JournalReply> submit(JournalEntry entry) {
    Message message = Message.valueOf(UnsafeByteOperations.unsafeWrap(entry.toByteArray()));
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
  public long term() {
    RaftServer.Division current = division;
    return current != null && current.getInfo().isLeaderReady()
        ? current.getInfo().getCurrentTerm()
        : 0;
  }

  @Override
  public boolean hasPeers() {
    return !config.peers().isEmpty();
  }

  @Override
  public void close() {
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
