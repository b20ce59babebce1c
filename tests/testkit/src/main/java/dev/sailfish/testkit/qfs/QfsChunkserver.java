package dev.sailfish.testkit.qfs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.Adler32;

/**
 * One chunkserver of a {@link QfsTestServer}: its address, its faults, what it holds. Any thread.
 */
public final class QfsChunkserver {
  private final ChunkMap chunks;
  private final Map<Long, Replica> replicas = new HashMap<>();
  private final QfsFaults faults = new QfsFaults();
  private final PlainWrites writes;
  private final RecordAppends appends;
  private final ChunkReads reads;
  private final QfsPort socket;

  QfsChunkserver(ChunkMap chunks, Map<Integer, QfsChunkserver> byPort, int number) {
    this.chunks = chunks;
    Chain chain = new Chain(this, byPort);
    writes = new PlainWrites(chunks, chain);
    appends = new RecordAppends(chunks, chain);
    reads = new ChunkReads();
    socket = new QfsPort("qfs chunkserver " + number, faults, this::answer);
    byPort.put(socket.port(), this);
  }

  /** The port on the loopback address. */
  public int port() {
    return socket.port();
  }

  /** What goes wrong with requests to this server. */
  public QfsFaults faults() {
    return faults;
  }

  /** Whether it listens. */
  public boolean isUp() {
    return socket.isUp();
  }

  /** How many clients are connected. */
  public int openConnections() {
    return socket.openConnections();
  }

  /** Closes every connection; new ones are taken. */
  public void dropConnections() {
    socket.dropConnections();
  }

  /** Stops the server as if its process were killed. Nothing happens if it is down. */
  public void stop() {
    socket.stop();
    synchronized (chunks) {
      chunks.lost(this);
    }
  }

  /** Starts it again on its port: stable chunks are there, unstable ones are wiped. */
  public void restart() {
    synchronized (chunks) {
      replicas.values().removeIf(replica -> !replica.stable);
    }
    socket.start();
  }

  /** How many chunks it holds. */
  public int chunkCount() {
    synchronized (chunks) {
      return replicas.size();
    }
  }

  /**
   * Changes one bit of a chunk as a bad disk would: its checksum stays.
   *
   * @throws IllegalArgumentException if this server does not hold the chunk
   */
  public void corrupt(long chunk, int offset) {
    synchronized (chunks) {
      existing(chunk).corrupt(offset);
    }
  }

  /**
   * The bytes of a chunk as this server holds them.
   *
   * @throws IllegalArgumentException if it does not hold the chunk
   */
  public byte[] bytes(long chunk) {
    synchronized (chunks) {
      Replica replica = existing(chunk);
      return replica.read(0, replica.size());
    }
  }

  /** Whether this server holds the chunk. */
  public boolean holds(long chunk) {
    synchronized (chunks) {
      return replicas.containsKey(chunk);
    }
  }

  /** Loses a chunk, as a failed disk would. */
  public void lose(long chunk) {
    synchronized (chunks) {
      replicas.remove(chunk);
    }
  }

  private Replica existing(long chunk) {
    Replica replica = replicas.get(chunk);
    if (replica == null) {
      throw new IllegalArgumentException("port=" + port() + " does not hold chunk=" + chunk);
    }
    return replica;
  }

  void close() {
    faults.clear();
    socket.close();
  }

  private WireReply answer(WireRequest request) {
    synchronized (chunks) {
      chunks.settle();
      return dispatch(request);
    }
  }

  private WireReply dispatch(WireRequest request) {
    return switch (request.operation()) {
      case "READ" -> reads.read(request, replica(request));
      case "SIZE" -> reads.size(request, replica(request));
      case "WRITE_ID_ALLOC" -> writeIds(request);
      case "WRITE_PREPARE" -> writes.prepare(request, replica(request));
      case "WRITE_SYNC" -> writes.sync(request, replica(request));
      case "CLOSE" -> close(request);
      case "CHUNK_SPACE_RESERVE" -> appends.reserve(request, replica(request));
      case "CHUNK_SPACE_RELEASE" -> appends.release(request, replica(request));
      case "RECORD_APPEND" -> appends.append(request, replica(request));
      case "GET_RECORD_APPEND_OP_STATUS" -> appends.status(request, replica(request));
      default ->
          WireReply.refusal(request, QfsStatus.NO_OPERATION, "no operation " + request.operation());
    };
  }

  private Replica replica(WireRequest request) {
    return replicas.get(request.required("Chunk-handle", "H"));
  }

  private WireReply writeIds(WireRequest request) {
    Replica replica = replica(request);
    return request.flag("For-record-append", "A")
        ? appends.allocateIds(request, replica)
        : writes.allocateIds(request, replica);
  }

  private WireReply close(WireRequest request) {
    Replica replica = replica(request);
    if (replica == null || !request.flag("Has-write-id", "W")) {
      return WireReply.of(request, 0);
    }
    return replica.appends == null
        ? writes.close(request, replica)
        : appends.close(request, replica);
  }

  Replica replica(long handle) {
    return replicas.get(handle);
  }

  /** Whether it is up and has the chunk at its version. */
  boolean has(MetaChunk chunk) {
    Replica replica = replicas.get(chunk.handle);
    return isUp() && replica != null && replica.version == chunk.version;
  }

  /** Whether no write to the chunk failed since its lease was handed out. */
  boolean hasWorkingLease(long handle) {
    return replicas.get(handle).writeIds.values().stream().allMatch(status -> status == 0);
  }

  void place(MetaChunk chunk, boolean first) {
    Replica replica = new Replica(chunk.handle, chunk.version);
    replica.appends = chunk.append ? new AppendTable(first) : null;
    replicas.put(chunk.handle, replica);
  }

  /** A chunk is written again, at a new version. */
  void reopen(MetaChunk chunk) {
    Replica replica = replicas.get(chunk.handle);
    replica.version = chunk.version;
    replica.stable = false;
    replica.writeIds.clear();
    replica.appends = null;
  }

  void drop(long handle) {
    replicas.remove(handle);
  }

  static long checksum(byte[] bytes) {
    Adler32 adler = new Adler32();
    adler.update(bytes, 0, bytes.length);
    return adler.getValue();
  }

  /** Servers of a chain, with the write id of each. */
  record Link(QfsChunkserver server, long writeId) {}

  /** Reads the chain of a request. */
  static final class Chain {
    private final QfsChunkserver self;
    private final Map<Integer, QfsChunkserver> byPort;

    Chain(QfsChunkserver self, Map<Integer, QfsChunkserver> byPort) {
      this.self = self;
      this.byPort = byPort;
    }

    /** The servers that the request names; empty if this server is not the first of them. */
    List<Link> of(WireRequest request, boolean withIds) {
      String text = request.text("Servers", "S", "").trim();
      String[] words = text.isEmpty() ? new String[0] : text.split("\\s+");
      int each = withIds ? 3 : 2;
      long count = request.number("Num-servers", "R", 0);
      if (count < 1 || words.length != count * each) {
        return List.of();
      }
      List<Link> links = new ArrayList<>();
      for (int i = 0; i < words.length; i += each) {
        QfsChunkserver server = byPort.get((int) request.parse(words[i + 1]));
        long id = withIds ? request.parse(words[i + 2]) : -1;
        links.add(new Link(server, id));
      }
      boolean known = links.stream().allMatch(link -> link.server() != null);
      return known && links.get(0).server() == self ? links : List.of();
    }
  }
}
