package dev.sailfish.ground.journal;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;

/** The name under which Raft finds {@link PeerRpc}: it makes an object of this class by itself. */
public final class PeerRpcType implements RpcType {
  private static final String LINKS = "sailfish.journal.links";

  /** How a server's {@link PeerRpc} is made. */
  interface Links {
    PeerRpc open(RpcType type);
  }

  /** For Raft. */
  public PeerRpcType() {}

  /** What a server of Raft must be given so that it talks over these links. */
  static Parameters parameters(Links links) {
    Parameters parameters = new Parameters();
    parameters.put(LINKS, links, Links.class);
    return parameters;
  }

  @Override
  public String name() {
    return PeerRpcType.class.getName();
  }

  @Override
  public RpcFactory newFactory(Parameters parameters) {
    return new Factory(this, parameters.getNonNull(LINKS, Links.class));
  }

  private record Factory(RpcType type, Links links) implements ServerFactory {
    @Override
    public RaftServerRpc newRaftServerRpc(RaftServer server) {
      return links.open(type);
    }

    @Override
    public RpcType getRpcType() {
      return type;
    }
  }
}
