package dev.sailfish.iappender;

import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.FormatException;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.ground.wire.message.EmptyResponse;
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
import dev.sailfish.protocol.wire.HeldPartition;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A metaserver and chunkservers in this process that hold blocks in lists, and that a {@link
 * Script} makes misbehave.
 */
final class FakeCluster implements Closeable {
  /** What a chunkserver does to one append. */
  record Fault(Kind kind, Status status) {
    /** The kinds of faults. */
    enum Kind {
      /** Stores and acknowledges. */
      NONE,
      /** Stores, and acknowledges after later requests. */
      LATE,
      /** Stores, and never answers. */
      ACK_LOST,
      /** Cuts the connection without storing. */
      CUT_BEFORE,
      /** Stores, and cuts the connection instead of answering. */
      CUT_AFTER,
      /** Answers with an error. */
      REFUSE,
      /** Stores, and answers with an error all the same. */
      STORE_AND_REFUSE
    }

    static final Fault NONE = new Fault(Kind.NONE, null);
    static final Fault LATE = new Fault(Kind.LATE, null);
    static final Fault ACK_LOST = new Fault(Kind.ACK_LOST, null);
    static final Fault CUT_BEFORE = new Fault(Kind.CUT_BEFORE, null);
    static final Fault CUT_AFTER = new Fault(Kind.CUT_AFTER, null);

    static Fault refuse(Status status) {
      return new Fault(Kind.REFUSE, status);
    }

    static Fault storeAndRefuse(Status status) {
      return new Fault(Kind.STORE_AND_REFUSE, status);
    }
  }

  /** Decides about each append; called one at a time. */
  interface Script {
    Fault next(int server, BlockHeader block);
  }

  /** One block as it was stored. */
  record Stored(BlockHeader header, byte[] payload) {}

  /** One chunk. */
  static final class Chunk {
    final List<Stored> blocks = new ArrayList<>();
    final int server;
    final int partition;
    long rawBytes;
    boolean full;

    Chunk(int server, int partition) {
      this.server = server;
      this.partition = partition;
    }
  }

  private final long chunkBytes;
  private final Script script;
  private final FakeServer metaserver;
  private final List<FakeServer> chunkservers = new ArrayList<>();
  private final Map<Long, Chunk> chunks = new HashMap<>();
  private final Map<Integer, Long> open = new HashMap<>();
  private final Set<Integer> down = new HashSet<>();
  private final List<Status> bindRefusals = new ArrayList<>();
  private final List<HeldPartition> held = new ArrayList<>();
  private long lastChunk;
  private CommitManifestRequest manifest;
  private int binds;
  private int boundPartitions;
  private int aborts;
  private int appends;

  FakeCluster(int servers, long chunkBytes, Script script) throws IOException {
    this.chunkBytes = chunkBytes;
    this.script = script;
    metaserver = new FakeMetaserver();
    for (int i = 0; i < servers; i++) {
      chunkservers.add(new FakeChunkserver(i));
    }
  }

  static FakeCluster healthy() throws IOException {
    return new FakeCluster(2, 128 << 20, (server, block) -> Fault.NONE);
  }

  InetSocketAddress metaserver() {
    return metaserver.address();
  }

  synchronized Map<Long, Chunk> chunks() {
    return chunks;
  }

  synchronized CommitManifestRequest manifest() {
    return manifest;
  }

  synchronized int binds() {
    return binds;
  }

  synchronized int boundPartitions() {
    return boundPartitions;
  }

  synchronized int aborts() {
    return aborts;
  }

  synchronized int appends() {
    return appends;
  }

  /** The next BIND requests are refused with these. */
  synchronized void refuseBinds(Status... statuses) {
    bindRefusals.addAll(List.of(statuses));
  }

  /** These partitions are said to be held when I-files are created. */
  synchronized void hold(List<HeldPartition> partitions) {
    held.addAll(partitions);
  }

  /** Stops a chunkserver for good. */
  void stop(int server) throws IOException {
    synchronized (this) {
      down.add(server);
    }
    chunkservers.get(server).close();
  }

  @Override
  public void close() throws IOException {
    metaserver.close();
    for (FakeServer server : chunkservers) {
      server.close();
    }
  }

  private synchronized Binding bind(BindTarget target) {
    Long chunk = open.get(target.getPartition());
    boolean avoided =
        chunk != null
            && target.getAvoidServersList().contains("server-" + chunks.get(chunk).server);
    boolean givenBack = chunk != null && target.getPreviousFull();
    if (chunk == null || avoided || givenBack && target.getPreviousChunk() == chunk) {
      chunk = ++lastChunk << 8;
      chunks.put(chunk, new Chunk(choose(target), target.getPartition()));
      open.put(target.getPartition(), chunk);
    }
    int server = chunks.get(chunk).server;
    InetSocketAddress address = chunkservers.get(server).address();
    boundPartitions++;
    return Binding.newBuilder()
        .setPartition(target.getPartition())
        .setChunk(chunk)
        .setServerId("server-" + server)
        .setHost(address.getAddress().getHostAddress())
        .setPort(address.getPort())
        .build();
  }

  private synchronized DescribeJobResponse describe(DescribeJobRequest request) {
    DescribeJobResponse.Builder response = DescribeJobResponse.newBuilder();
    chunks.forEach(
        (id, chunk) -> {
          if (chunk.partition == request.getPartition()) {
            InetSocketAddress address = chunkservers.get(chunk.server).address();
            response.addChunks(
                ChunkDescription.newBuilder()
                    .setChunk(id)
                    .setPartition(chunk.partition)
                    .setState(ChunkState.OPEN.code())
                    .setHost(address.getAddress().getHostAddress())
                    .setPort(address.getPort()));
          }
        });
    return response.build();
  }

  private int choose(BindTarget target) {
    int first = (int) (lastChunk % chunkservers.size());
    for (int i = 0; i < chunkservers.size(); i++) {
      int server = (first + i) % chunkservers.size();
      if (!target.getAvoidServersList().contains("server-" + server)) {
        return server;
      }
    }
    return first;
  }

  /** Stores the block; false when the chunk is full. */
  private synchronized boolean store(AppendRequest request, BlockHeader header, byte[] payload) {
    Chunk chunk = chunks.get(request.getChunk());
    if (chunk.partition != header.partition() || request.getPartition() != header.partition()) {
      throw new IllegalStateException("block for another partition: " + header + " " + request);
    }
    if (chunk.full || chunk.rawBytes > 0 && chunk.rawBytes + header.rawLength() > chunkBytes) {
      chunk.full = true;
      return false;
    }
    chunk.rawBytes += header.rawLength();
    chunk.blocks.add(new Stored(header, payload));
    return true;
  }

  private synchronized void markFull(long chunk) {
    chunks.get(chunk).full = true;
  }

  private synchronized Fault fault(int server, BlockHeader header) {
    appends++;
    return script.next(server, header);
  }

  private final class FakeMetaserver extends FakeServer {
    FakeMetaserver() throws IOException {}

    @Override
    void handle(Peer peer, Operation<?, ?> operation, long correlation, byte[] header, byte[] body)
        throws IOException {
      switch (operation.name()) {
        case "CREATE_IFILES" -> {
          CreateIfilesResponse.Builder response =
              CreateIfilesResponse.newBuilder().setChunkBytes(chunkBytes);
          synchronized (FakeCluster.this) {
            response.addAllHeld(held);
          }
          peer.reply(operation, correlation, response.build());
        }
        case "BIND" -> bind(peer, correlation, BindRequest.parseFrom(header));
        case "DESCRIBE_JOB" ->
            peer.reply(operation, correlation, describe(DescribeJobRequest.parseFrom(header)));
        case "COMMIT_MANIFEST" -> {
          synchronized (FakeCluster.this) {
            manifest = CommitManifestRequest.parseFrom(header);
          }
          peer.reply(operation, correlation, EmptyResponse.getDefaultInstance());
        }
        case "ABORT_ATTEMPT" -> {
          synchronized (FakeCluster.this) {
            aborts++;
          }
          peer.reply(operation, correlation, EmptyResponse.getDefaultInstance());
        }
        default -> throw new IllegalStateException("unexpected operation " + operation);
      }
    }

    private void bind(Peer peer, long correlation, BindRequest request) throws IOException {
      Status refusal = null;
      BindResponse.Builder response = BindResponse.newBuilder();
      synchronized (FakeCluster.this) {
        binds++;
        if (!bindRefusals.isEmpty()) {
          refusal = bindRefusals.remove(0);
        }
      }
      if (refusal != null) {
        peer.refuse(IfileService.BIND, correlation, refusal);
        return;
      }
      for (BindTarget target : request.getTargetsList()) {
        response.addBindings(FakeCluster.this.bind(target));
      }
      peer.reply(IfileService.BIND, correlation, response.build());
    }
  }

  private final class FakeChunkserver extends FakeServer {
    private final int id;

    FakeChunkserver(int id) throws IOException {
      this.id = id;
    }

    @Override
    void handle(Peer peer, Operation<?, ?> operation, long correlation, byte[] header, byte[] body)
        throws IOException {
      AppendRequest request = AppendRequest.parseFrom(header);
      BlockHeader block = check(body);
      Fault fault = fault(id, block);
      if (fault.kind() == Fault.Kind.CUT_BEFORE) {
        peer.cut();
        return;
      }
      if (fault.kind() == Fault.Kind.REFUSE) {
        if (fault.status() == Status.CHUNK_FULL) {
          markFull(request.getChunk());
        }
        peer.refuse(operation, correlation, fault.status());
        return;
      }
      if (!store(request, block, body)) {
        peer.refuse(operation, correlation, Status.CHUNK_FULL);
        return;
      }
      switch (fault.kind()) {
        case LATE -> peer.replyLate(operation, correlation, EmptyResponse.getDefaultInstance());
        case ACK_LOST -> {}
        case CUT_AFTER -> peer.cut();
        case STORE_AND_REFUSE -> peer.refuse(operation, correlation, fault.status());
        default -> {
          peer.reply(operation, correlation, EmptyResponse.getDefaultInstance());
          peer.flush();
        }
      }
    }

    private BlockHeader check(byte[] body) throws FormatException {
      BlockHeader header = BlockHeader.read(ByteBuffer.wrap(body), 0, body.length);
      if (header.blockLength() != body.length) {
        throw new IllegalStateException("payload is not one block: " + header + " " + body.length);
      }
      header.checkStored(body, BlockHeader.LENGTH);
      return header;
    }
  }
}
