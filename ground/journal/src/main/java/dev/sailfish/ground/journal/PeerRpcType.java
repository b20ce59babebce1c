package dev.sailfish.ground.journal;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;

/** The name under which Raft finds {@link PeerRpc}: it makes an object of this class by itself. */
public final class PeerRpcType implements RpcType {
  private static final String RPC = "sailfish.journal.rpc";

  /** For Raft. */
  public PeerRpcType() {}

  /** What a server of Raft must be given so that it talks to others in this way. */
  static Parameters parameters(PeerRpc rpc) {
    Parameters parameters = new Parameters();
    parameters.put(RPC, rpc, PeerRpc.class);
    return parameters;
  }

  @Override
  public String name() {
    return PeerRpcType.class.getName();
  }

  @Override
  public RpcFactory newFactory(Parameters parameters) {
    return new Factory(this, parameters.getNonNull(RPC, PeerRpc.class));
  }

  private record Factory(RpcType getRpcType, PeerRpc rpc) implements ServerFactory {
    @Override
    public RaftServerRpc newRaftServerRpc(RaftServer server) {
      return rpc;
    }
  }
}
