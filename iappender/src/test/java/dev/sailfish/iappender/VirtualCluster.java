package dev.sailfish.iappender;

import com.google.protobuf.MessageLite;
import dev.sailfish.ground.wire.FrameDescriptor;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.Wire;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.ground.wire.message.ErrorResponse;
import dev.sailfish.ground.wire.message.HelloResponse;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.AppendRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A metaserver and chunkservers that answer at once, on the thread of who waits for them, in a time
 * that passes only while somebody waits: the network of one client. Servers can be silent for a
 * time, and be given up by the metaserver.
 */
final class VirtualCluster extends Network {
  static final int METASERVER = -1;

  private static final int FIRST_PORT = 10_000;
  private static final long CHUNK_BYTES = 128 << 20;
  private static final long MILLI = 1_000_000;

  /** From when to when a server answers nothing. */
  private record Silence(long fromNs, long untilNs, boolean hostGone) {}

  private final int servers;
  private final int socketBytes;
  private final Map<Integer, Silence> silences = new TreeMap<>();
  private final Map<Integer, Long> givenUpNs = new TreeMap<>();

  /** Server and partition of each chunk. */
  private final Map<Long, int[]> chunks = new TreeMap<>();

  private final Map<Integer, Integer> appends = new TreeMap<>();
  private final List<Long> askedMs = new ArrayList<>();
  private CommitManifestRequest manifest;
  private long nowNs;

  /**
   * @param socketBytes how much a silent server's socket takes
   */
  VirtualCluster(int servers, int socketBytes) {
    this.servers = servers;
    this.socketBytes = socketBytes;
  }

  static List<InetSocketAddress> metaservers() {
    return List.of(address(METASERVER));
  }

  private static InetSocketAddress address(int server) {
    return new InetSocketAddress("127.0.0.1", FIRST_PORT + server);
  }

  /**
   * A server, or {@link #METASERVER}, answers nothing for a time.
   *
   * @param hostGone whether it cannot even be connected to
   */
  void silence(int server, Duration from, Duration until, boolean hostGone) {
    silences.put(server, new Silence(from.toNanos(), until.toNanos(), hostGone));
  }

  /** The metaserver gives the server up. */
  void giveUp(int server, Duration at) {
    givenUpNs.put(server, at.toNanos());
  }

  long nowMs() {
    return nowNs / MILLI;
  }

  /** When the metaserver was asked about chunks. */
  List<Long> askedMs() {
    return askedMs;
  }

  /** How many blocks a server has taken. */
  int appends(int server) {
    return appends.getOrDefault(server, 0);
  }

  /** What was committed, or null. */
  CommitManifestRequest manifest() {
    return manifest;
  }

  @Override
  public Wire open(InetSocketAddress address) {
    return new VirtualWire(address.getPort() - FIRST_PORT);
  }

  @Override
  public long nanoTime() {
    return nowNs;
  }

  @Override
  public void pause(long untilNs, String what) {
    nowNs = Math.max(nowNs, untilNs);
  }

  private boolean isSilent(int server) {
    Silence silence = silences.get(server);
    return silence != null && nowNs >= silence.fromNs && nowNs < silence.untilNs;
  }

  private boolean isGone(int server) {
    return isSilent(server) && silences.get(server).hostGone;
  }

  private boolean isGivenUp(int server) {
    Long atNs = givenUpNs.get(server);
    return atNs != null && nowNs >= atNs;
  }

  private MessageLite answer(int server, Operation<?, ?> operation, byte[] header)
      throws IOException {
    return switch (operation.name()) {
      case "HELLO" ->
          HelloResponse.newBuilder()
              .setProtocolVersion(FrameDescriptor.VERSION)
              .setServer("virtual")
              .build();
      case "CREATE_IFILES" -> CreateIfilesResponse.newBuilder().setChunkBytes(CHUNK_BYTES).build();
      case "BIND" -> bind(BindRequest.parseFrom(header));
      case "DESCRIBE_JOB" -> describe(DescribeJobRequest.parseFrom(header));
      case "APPEND" -> append(server, AppendRequest.parseFrom(header));
      case "COMMIT_MANIFEST" -> {
        manifest = CommitManifestRequest.parseFrom(header);
        yield EmptyResponse.getDefaultInstance();
      }
      case "ABORT_ATTEMPT" -> EmptyResponse.getDefaultInstance();
      default -> throw new IllegalStateException("unexpected operation " + operation);
    };
  }

  private MessageLite append(int server, AppendRequest request) {
    if (chunks.get(request.getChunk())[0] != server) {
      throw new IllegalStateException("another server's chunk: " + request);
    }
    appends.merge(server, 1, Integer::sum);
    return EmptyResponse.getDefaultInstance();
  }

  private MessageLite bind(BindRequest request) {
    BindResponse.Builder response = BindResponse.newBuilder();
    for (BindTarget target : request.getTargetsList()) {
      int server = choose(target);
      if (server < 0) {
        return ErrorResponse.newBuilder().setStatus(Status.BUSY.code()).build();
      }
      long chunk = chunks.size() + 1L << 8;
      chunks.put(chunk, new int[] {server, target.getPartition()});
      response.addBindings(
          Binding.newBuilder()
              .setPartition(target.getPartition())
              .setChunk(chunk)
              .setServerId("server-" + server)
              .setHost("127.0.0.1")
              .setPort(FIRST_PORT + server));
    }
    return response.build();
  }

  /** One that is not avoided, if there is one, else one that is not given up, else none. */
  private int choose(BindTarget target) {
    int chosen = -1;
    for (int i = 0; i < servers; i++) {
      int server = (target.getPartition() + i) % servers;
      boolean avoided = target.getAvoidServersList().contains("server-" + server);
      if (!isGivenUp(server)) {
        if (!avoided) {
          return server;
        }
        chosen = chosen < 0 ? server : chosen;
      }
    }
    return chosen;
  }

  private MessageLite describe(DescribeJobRequest request) {
    askedMs.add(nowMs());
    DescribeJobResponse.Builder response = DescribeJobResponse.newBuilder();
    chunks.forEach(
        (id, place) -> {
          if (place[1] == request.getPartition()) {
            ChunkState state = isGivenUp(place[0]) ? ChunkState.LOST : ChunkState.OPEN;
            response.addChunks(
                ChunkDescription.newBuilder()
                    .setChunk(id)
                    .setPartition(place[1])
                    .setState(state.code())
                    .setServerId("server-" + place[0])
                    .setHost("127.0.0.1")
                    .setPort(FIRST_PORT + place[0]));
          }
        });
    return response.build();
  }

  /** One connection. */
  private final class VirtualWire implements Wire {
    private final int server;
    private final ByteBuffer requests = ByteBuffer.allocate(16 << 20);
    private final ByteBuffer replies = ByteBuffer.allocate(1 << 20);
    private boolean open = true;

    VirtualWire(int server) {
      this.server = server;
    }

    @Override
    public boolean connect() {
      return !isGone(server);
    }

    @Override
    public int write(ByteBuffer bytes) {
      serve();
      int room = isSilent(server) ? socketBytes - requests.position() : requests.remaining();
      int count = Math.min(bytes.remaining(), Math.max(0, room));
      requests.put(requests.position(), bytes, bytes.position(), count);
      requests.position(requests.position() + count);
      bytes.position(bytes.position() + count);
      serve();
      return count;
    }

    @Override
    public int read(ByteBuffer target) {
      serve();
      replies.flip();
      int count = Math.min(replies.remaining(), target.remaining());
      target.put(target.position(), replies, 0, count);
      target.position(target.position() + count);
      replies.position(count);
      replies.compact();
      return count;
    }

    @Override
    public void await(int interest, long waitMs) {
      serve();
      boolean readable = (interest & READ) != 0 && replies.position() > 0;
      boolean writable = (interest & WRITE) != 0 && !isSilent(server);
      boolean connected = (interest & CONNECT) != 0 && !isGone(server);
      nowNs += readable || writable || connected ? 0 : waitMs * MILLI;
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() {
      open = false;
    }

    /** Answers what has come, unless the server is silent. */
    private void serve() {
      if (isSilent(server)) {
        return;
      }
      try {
        requests.flip();
        while (requests.remaining() >= FrameDescriptor.LENGTH && answerNext()) {
          continue;
        }
        requests.compact();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private boolean answerNext() throws IOException {
      int start = requests.position();
      int header = FrameDescriptor.headerLength(requests, start);
      int payload = FrameDescriptor.payloadLength(requests, start);
      if (requests.remaining() < FrameDescriptor.LENGTH + header + payload) {
        return false;
      }
      byte[] bytes = new byte[header];
      requests.get(start + FrameDescriptor.LENGTH, bytes);
      Operation<?, ?> operation =
          IfileService.SERVICE.ofCode(FrameDescriptor.operationCode(requests, start));
      MessageLite answer = answer(server, operation, bytes);
      byte[] reply = answer.toByteArray();
      boolean refused = answer instanceof ErrorResponse;
      FrameDescriptor.write(
          replies,
          operation,
          FrameDescriptor.FLAG_RESPONSE | (refused ? FrameDescriptor.FLAG_ERROR : 0),
          FrameDescriptor.correlation(requests, start),
          reply.length,
          0);
      replies.put(reply);
      requests.position(start + FrameDescriptor.LENGTH + header + payload);
      return true;
    }
  }
}
