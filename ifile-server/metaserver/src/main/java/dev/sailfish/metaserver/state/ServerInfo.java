package dev.sailfish.metaserver.state;

import dev.sailfish.metaserver.wire.SnapshotServer;
import dev.sailfish.protocol.wire.FetchChunk;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * One chunkserver: where it is, what it holds, and what it has to be told.
 *
 * <p>Where it is, whether it is live, and the use by which it is picked are the same on every peer.
 * When it was heard, what it has to be told and the use it last spoke of are known to the leader
 * alone, and only of servers that have registered with it.
 *
 * <p>Commands are kept until the server has surely read them. It sends its next heartbeat over a
 * connection only after it has read the answer to the one before; so a heartbeat of the same
 * session (connection) confirms what was sent, and one of another session has it sent again.
 */
public final class ServerInfo {
  /** The answer says anyway whether it is drained; the command has it answered at once. */
  private static final String DRAIN = "drain";

  /** What all peers know of it, as snapshots have it. */
  private final SnapshotServer.Builder kept = SnapshotServer.newBuilder();

  private final Map<Long, ChunkInfo> chunks = new LinkedHashMap<>();
  private final Map<Long, ChunkInfo> arriving = new LinkedHashMap<>();
  private int bindableChunks;

  // What only a leader knows.
  private boolean met;
  private boolean drainConfirmed;
  private long heardUsed;
  private long lastHeardMs;
  private String session = "";
  // Each command, by what would repeat it, adds itself to an answer.
  private final Map<String, Consumer<HeartbeatResponse.Builder>> waiting = new LinkedHashMap<>();
  private final Map<String, Consumer<HeartbeatResponse.Builder>> sent = new LinkedHashMap<>();

  ServerInfo(String id) {
    kept.setId(id);
  }

  /** By which it is known, also after a restart. */
  public String id() {
    return kept.getId();
  }

  /** Name or address that it has registered with. */
  public String host() {
    return kept.getHost();
  }

  /** Port of its protocol. */
  public int port() {
    return kept.getPort();
  }

  /**
   * Where a chunkserver is, for people.
   *
   * @param address {@code host:port} of its protocol
   * @param draining whether it is to leave
   * @param chunksLeft how many chunks it is to hand over; absent: it is not to leave, or has not
   *     told this leader yet all that it has
   */
  public record Place(
      String id, String address, String rack, boolean draining, OptionalInt chunksLeft) {}

  /** Where it is now. */
  Place place() {
    OptionalInt left =
        isDraining() && isDrainConfirmed()
            ? OptionalInt.of(Drains.chunksLeftOn(this))
            : OptionalInt.empty();
    return new Place(id(), host() + ":" + port(), rack(), isDraining(), left);
  }

  String rack() {
    return kept.getRack();
  }

  boolean isLive() {
    return kept.getLive();
  }

  long lastHeardMs() {
    return lastHeardMs;
  }

  /** Bytes used, as far as the journal says. */
  long used() {
    return kept.getUsedBytes();
  }

  /** Bytes used, as the server last said. */
  long heardUsed() {
    return heardUsed;
  }

  /** From here on it counts as having used so much. */
  void uses(long bytes) {
    kept.setUsedBytes(bytes);
  }

  /** Whether it has registered with this metaserver since that leads. */
  boolean isMet() {
    return met;
  }

  /** Names the connection of its last heartbeat; empty before the first one. */
  public String session() {
    return session;
  }

  /** A leader begins: the server has a new period to be heard in, and must register. */
  void awaitFrom(long nowMs) {
    forgetSession();
    drainConfirmed = false;
    lastHeardMs = nowMs;
    heardUsed = used();
  }

  /** What only the leader that it registered with knows is void. */
  void forgetSession() {
    met = false;
    session = "";
    waiting.clear();
    sent.clear();
  }

  /** Takes over what a snapshot says. */
  void restore(SnapshotServer saved) {
    kept.clear().mergeFrom(saved);
    heardUsed = used();
  }

  /** What a snapshot has of it. */
  SnapshotServer snapshot() {
    return kept.build();
  }

  long freeBytes() {
    return Math.max(0, kept.getCapacityBytes() - used());
  }

  /** Whether a new chunk of that capacity fits, when it is full too. */
  boolean hasRoom(long chunkBytes) {
    return freeBytes() >= chunkBytes;
  }

  /** Bytes free, as the server last said. */
  long heardFreeBytes() {
    return Math.max(0, kept.getCapacityBytes() - heardUsed);
  }

  /** Bytes that all its tiers take. */
  long capacityBytes() {
    return kept.getCapacityBytes();
  }

  /** How many of its chunks take further appenders. */
  int bindableChunks() {
    return bindableChunks;
  }

  /** When it was last picked for a new chunk, in picks. */
  long lastChosen() {
    return kept.getLastChosen();
  }

  void chosen(long pick) {
    kept.setLastChosen(pick);
  }

  /** Chunks that are or were on it, of jobs that live, by id. */
  Map<Long, ChunkInfo> chunks() {
    return chunks;
  }

  /** Chunks that it copies from other servers, by id. */
  Map<Long, ChunkInfo> arriving() {
    return arriving;
  }

  /** Whether it is to leave. */
  public boolean isDraining() {
    return kept.getDraining();
  }

  /** From now on it takes no new chunks and hands over those that it has. */
  void drain() {
    kept.setDraining(true);
    drainConfirmed = false;
    command(DRAIN, answer -> {});
  }

  /** Whether it knows that it is to leave: all chunks that it ever had are reported then. */
  boolean isDrainConfirmed() {
    return drainConfirmed;
  }

  /** It may be given chunks again. */
  void endDrain() {
    kept.setDraining(false);
  }

  /** Has it copy a chunk. */
  void fetch(ChunkInfo chunk) {
    arriving.put(chunk.id(), chunk);
    FetchChunk fetch =
        FetchChunk.newBuilder()
            .setChunk(chunk.id())
            .setJob(chunk.ifile().job().name())
            .setHost(chunk.server().host())
            .setPort(chunk.server().port())
            .build();
    command("fetch " + chunk.id(), answer -> answer.addFetchChunks(fetch));
  }

  /** Something to be told, unless another metaserver leads, or it must register anyway. */
  private void command(String what, Consumer<HeartbeatResponse.Builder> command) {
    if (met) {
      waiting.put(what, command);
    }
  }

  void opened(ChunkInfo chunk) {
    chunks.put(chunk.id(), chunk);
    bindableChunks++;
  }

  void closed() {
    bindableChunks--;
  }

  /**
   * @param withLeader whether it registered with this metaserver, and not with another peer
   */
  void registered(
      RegisterChunkserverRequest request, String resolvedRack, boolean withLeader, long nowMs) {
    forgetSession();
    met = withLeader;
    kept.setHost(request.getHost())
        .setPort(request.getPort())
        .setWebPort(request.getWebPort())
        .setRack(resolvedRack)
        .setCapacityBytes(request.getMemoryCapacity() + request.getDiskCapacity())
        .setLive(true);
    lastHeardMs = nowMs;
    if (isDraining()) {
      command(DRAIN, answer -> {});
    }
  }

  void heard(HeartbeatRequest request, String newSession, long nowMs) {
    heardUsed = request.getMemoryUsed() + request.getDiskUsed();
    lastHeardMs = nowMs;
    if (!session.equals(newSession)) {
      waiting.putAll(sent);
    } else if (sent.containsKey(DRAIN)) {
      drainConfirmed = true;
    }
    session = newSession;
    sent.clear();
  }

  void died() {
    kept.setLive(false);
    forgetSession();
  }

  void deleteJob(String job) {
    command("delete job " + job, answer -> answer.addDeleteJobs(job));
  }

  /** Has it sort what it has of a job whose maps have all committed. */
  void completeJob(String job) {
    command("complete job " + job, answer -> answer.addCompleteJobs(job));
  }

  void deleteChunk(long chunk) {
    command("delete chunk " + chunk, answer -> answer.addDeleteChunks(chunk));
  }

  boolean hasCommands() {
    return !waiting.isEmpty();
  }

  HeartbeatResponse takeCommands() {
    HeartbeatResponse.Builder answer = HeartbeatResponse.newBuilder().setDrain(isDraining());
    waiting.values().forEach(command -> command.accept(answer));
    sent.putAll(waiting);
    waiting.clear();
    return answer.build();
  }

  @Override
  public String toString() {
    return "chunkserver " + id() + " at " + host() + ":" + port() + " rack=" + rack();
  }
}
