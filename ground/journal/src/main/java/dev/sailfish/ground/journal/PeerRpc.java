package dev.sailfish.ground.journal;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexReplyProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;

/**
 * How Raft reaches other peers: over {@link PeerLink}s. It listens nowhere: what others send comes
 * in with all other requests, and {@link RaftJournal#receive} hands it to Raft. A single peer has
 * no links, and nothing of its journal can be reached from outside. Thread-safe.
 */
final class PeerRpc implements RaftServerRpc, RaftServerAsynchronousProtocol {
  private final InetSocketAddress self;
  private final Map<RaftPeerId, PeerLink> links;
  private final BooleanSupplier stands;

  /**
   * @param self where others reach this peer
   * @param links to the others; closed with this object
   * @param stands asked by Raft's threads whether this peer should ask for votes now
   */
  PeerRpc(InetSocketAddress self, Map<RaftPeerId, PeerLink> links, BooleanSupplier stands) {
    this.self = self;
    this.links = Map.copyOf(links);
    this.stands = stands;
  }

  private byte[] ask(PeerMessage kind, RaftRpcRequestProto to, MessageLite message)
      throws IOException {
    RaftPeerId peer = RaftPeerId.valueOf(to.getReplyId());
    PeerLink link = links.get(peer);
    if (link == null) {
      throw new IOException("no other peer has this id: peer=" + peer);
    }
    return link.ask(kind, message.toByteArray());
  }

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    if (!stands.getAsBoolean()) {
      throw new IOException("this peer has much to apply, and asks for no votes yet");
    }
    return RequestVoteReplyProto.parseFrom(
        ask(PeerMessage.REQUEST_VOTE, request.getServerRequest(), request));
  }

  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
      throws IOException {
    return AppendEntriesReplyProto.parseFrom(
        ask(PeerMessage.APPEND_ENTRIES, request.getServerRequest(), request));
  }

  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    return InstallSnapshotReplyProto.parseFrom(
        ask(PeerMessage.INSTALL_SNAPSHOT, request.getServerRequest(), request));
  }

  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    return StartLeaderElectionReplyProto.parseFrom(
        ask(PeerMessage.START_LEADER_ELECTION, request.getServerRequest(), request));
  }

  @Override
  public RaftServerAsynchronousProtocol async() {
    return this;
  }

  @Override
  public CompletableFuture<AppendEntriesReplyProto> appendEntriesAsync(
      AppendEntriesRequestProto request) {
    return CompletableFuture.failedFuture(new IOException("entries are sent one by one"));
  }

  /** Raft asks the leader so when a peer that does not lead is asked to confirm. */
  @Override
  public CompletableFuture<ReadIndexReplyProto> readIndexAsync(ReadIndexRequestProto request) {
    return CompletableFuture.failedFuture(new IOException("this peer does not lead any more"));
  }

  @Override
  public void addRaftPeers(Collection<RaftPeer> peers) {
    // The configuration names them all.
  }

  @Override
  public void handleException(RaftPeerId serverId, Exception e, boolean reconnect) {
    // A link whose connection broke opens another one.
  }

  @Override
  public void start() {
    // Links connect when they are used.
  }

  @Override
  public InetSocketAddress getInetSocketAddress() {
    return self;
  }

  @Override
  public RpcType getRpcType() {
    return new PeerRpcType();
  }

  @Override
  public void close() {
    links.values().forEach(PeerLink::close);
  }
}
