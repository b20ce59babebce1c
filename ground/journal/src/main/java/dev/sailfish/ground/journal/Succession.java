package dev.sailfish.ground.journal;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.util.ProtoUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who leads, and whether this peer should be next: what {@link LeaderWatch} and Raft's elections
 * have to know of this peer and its links to the others. Thread-safe.
 */
final class Succession implements LeaderWatch.Election, LeaderWatch.Peers {
  private static final Logger LOG = LoggerFactory.getLogger(Succession.class);
  private static final Standing READS_ITS_JOURNAL = new Standing(false, false, 0, 0);

  private final PeerNetwork network;
  private final Map<String, InetSocketAddress> peers;
  private final RaftGroupId groupId;
  private final RaftPeerId self;
  private final Map<String, PeerLink> links = new HashMap<>();
  private final Candidacy candidacy = new Candidacy();
  private volatile RaftServer server;
  private volatile RaftServer.Division division;

  Succession(PeerNetwork network, JournalSettings settings, RaftGroupId groupId) {
    this.network = network;
    this.peers = settings.peers();
    this.groupId = groupId;
    this.self = RaftPeerId.valueOf(settings.id());
    peers.forEach((id, address) -> links.put(id, new PeerLink(network, address)));
    links.remove(settings.id());
  }

  /** Raft has read the journal. */
  void started(RaftServer raft, RaftServer.Division group) {
    server = raft;
    division = group;
  }

  /** The links to the others, by id; to be closed by who sends Raft's messages over them. */
  Map<RaftPeerId, PeerLink> links() {
    Map<RaftPeerId, PeerLink> byId = new HashMap<>();
    links.forEach((id, link) -> byId.put(RaftPeerId.valueOf(id), link));
    return byId;
  }

  /** Whether this peer, which hears no leader, should be the next one. */
  boolean stands() {
    RaftServer.Division current = division;
    if (current == null) {
      return true;
    }
    return candidacy.stands(behind(current), System.nanoTime());
  }

  private static long behind(RaftServer.Division group) {
    return group.getRaftLog().getLastCommittedIndex() - group.getInfo().getLastAppliedIndex();
  }

  /** See {@link Journal#keepsUp}. */
  boolean keepsUp() {
    RaftServer.Division current = division;
    RaftPeerId leader = current == null ? null : current.getInfo().getLeaderId();
    if (leader == null || leader.equals(self)) {
      return leader != null;
    }
    long applied = current.getInfo().getLastAppliedIndex();
    return current.getCommitInfos().stream()
        .filter(told -> RaftPeerId.valueOf(told.getServer().getId()).equals(leader))
        .anyMatch(told -> !Candidacy.isFarBehind(told.getCommitIndex() - applied));
  }

  @Override
  public String leader() {
    RaftPeerId leader = division.getInfo().getLeaderId();
    return leader == null ? null : leader.toString();
  }

  @Override
  public Standing standing(boolean misses) {
    RaftServer.Division current = division;
    if (current == null) {
      return READS_ITS_JOURNAL;
    }
    TermIndex last = last();
    boolean applied = !Candidacy.isFarBehind(behind(current));
    return new Standing(misses, applied, last.getTerm(), last.getIndex());
  }

  private TermIndex last() {
    TermIndex last = division.getRaftLog().getLastEntryTermIndex();
    return last == null ? TermIndex.INITIAL_VALUE : last;
  }

  /** As if that leader had told this peer to. */
  @Override
  public boolean askForVotes(String leader) throws IOException {
    candidacy.nobodyIsBetter(System.nanoTime());
    RaftRpcRequestProto told =
        RaftRpcRequestProto.newBuilder()
            .setRequestorId(RaftPeerId.valueOf(leader).toByteString())
            .setReplyId(self.toByteString())
            .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(groupId))
            .build();
    return server
        .startLeaderElection(
            StartLeaderElectionRequestProto.newBuilder()
                .setServerRequest(told)
                .setLeaderLastEntry(last().toProto())
                .build())
        .getServerReply()
        .getSuccess();
  }

  @Override
  public PeerConnection open(String peer) throws IOException {
    return network.open(peers.get(peer));
  }

  @Override
  public Map<String, byte[]> ask(String leader, byte[] message) throws InterruptedIOException {
    Map<String, byte[]> answers = new HashMap<>();
    for (Map.Entry<String, PeerLink> link : links.entrySet()) {
      if (!link.getKey().equals(leader)) {
        try {
          answers.put(link.getKey(), link.getValue().ask(PeerMessage.LEADER_ENDED, message));
        } catch (InterruptedIOException e) {
          throw e;
        } catch (IOException e) {
          LOG.debug("no answer about a leader that has ended: peer={}", link.getKey(), e);
        }
      }
    }
    return answers;
  }
}
