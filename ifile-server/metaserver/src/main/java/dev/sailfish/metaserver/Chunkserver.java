package dev.sailfish.metaserver;

import dev.sailfish.metaserver.wire.SnapshotServer;
import dev.sailfish.protocol.wire.FetchChunk;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

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
final class Chunkserver {
  private final String id;
  private String host = "";
  private int port;
  private int webPort;
  private String rack = "";
  private long capacity;
  private long used;
  private boolean live;
  private boolean draining;
  private long lastChosen;
  private final Map<Long, Chunk> chunks = new LinkedHashMap<>();
  private final Map<Long, Chunk> arriving = new LinkedHashMap<>();
  private int bindableChunks;

  // What only a leader knows.
  private boolean met;
  private boolean drainConfirmed;
  private long heardUsed;
  private long lastHeardMs;
  private String session = "";
  private final Commands waiting = new Commands();
  private final Commands sent = new Commands();

  /**
   * Jobs and chunks to delete, jobs that are complete, chunks to fetch, and whether there is news
   * of its draining.
   */
  private static final class Commands {
    private final Set<String> jobs = new LinkedHashSet<>();
    private final Set<String> completeJobs = new LinkedHashSet<>();
    private final Set<Long> chunks = new LinkedHashSet<>();
    private final Map<Long, FetchChunk> fetches = new LinkedHashMap<>();
    private boolean drain;

    void addAll(Commands others) {
      jobs.addAll(others.jobs);
      completeJobs.addAll(others.completeJobs);
      chunks.addAll(others.chunks);
      fetches.putAll(others.fetches);
      drain |= others.drain;
    }

    void clear() {
      jobs.clear();
      completeJobs.clear();
      chunks.clear();
      fetches.clear();
      drain = false;
    }

    boolean isEmpty() {
      return jobs.isEmpty()
          && completeJobs.isEmpty()
          && chunks.isEmpty()
          && fetches.isEmpty()
          && !drain;
    }
  }

  Chunkserver(String id) {
    this.id = id;
  }

  String id() {
    return id;
  }

  String host() {
    return host;
  }

  int port() {
    return port;
  }

  int webPort() {
    return webPort;
  }

  String rack() {
    return rack;
  }

  boolean isLive() {
    return live;
  }

  long lastHeardMs() {
    return lastHeardMs;
  }

  long capacity() {
    return capacity;
  }

  /** Bytes used, as far as the journal says. */
  long used() {
    return used;
  }

  /** Bytes used, as the server last said. */
  long heardUsed() {
    return heardUsed;
  }

  /** From here on it counts as having used so much. */
  void uses(long bytes) {
    used = bytes;
  }

  /** Whether it has registered with this metaserver since that leads. */
  boolean isMet() {
    return met;
  }

  /** Names the connection of its last heartbeat; empty before the first one. */
  String session() {
    return session;
  }

  /** A leader begins: the server has a new period to be heard in, and must register. */
  void awaitFrom(long nowMs) {
    forget();
    drainConfirmed = false;
    lastHeardMs = nowMs;
    heardUsed = used;
  }

  private void forget() {
    met = false;
    session = "";
    waiting.clear();
    sent.clear();
  }

  /** This metaserver leads no more. */
  void notLed() {
    forget();
  }

  /** Takes over what a snapshot says. */
  void restore(SnapshotServer saved) {
    host = saved.getHost();
    port = saved.getPort();
    webPort = saved.getWebPort();
    rack = saved.getRack();
    capacity = saved.getCapacityBytes();
    used = saved.getUsedBytes();
    heardUsed = used;
    live = saved.getLive();
    draining = saved.getDraining();
    lastChosen = saved.getLastChosen();
  }

  long freeBytes() {
    return Math.max(0, capacity - used);
  }

  /** How many of its chunks take further appenders. */
  int bindableChunks() {
    return bindableChunks;
  }

  /** When it was last picked for a new chunk, in picks. */
  long lastChosen() {
    return lastChosen;
  }

  void chosen(long pick) {
    lastChosen = pick;
  }

  /** Chunks that are or were on it, of jobs that live, by id. */
  Map<Long, Chunk> chunks() {
    return chunks;
  }

  /** Chunks that it copies from other servers, by id. */
  Map<Long, Chunk> arriving() {
    return arriving;
  }

  /** Whether it is to leave. */
  boolean isDraining() {
    return draining;
  }

  /** From now on it takes no new chunks and hands over those that it has. */
  void drain() {
    draining = true;
    drainConfirmed = false;
    waiting.drain = met;
  }

  /** Whether it knows that it is to leave: all chunks that it ever had are reported then. */
  boolean isDrainConfirmed() {
    return drainConfirmed;
  }

  /** It may be given chunks again. */
  void endDrain() {
    draining = false;
  }

  /** Has it copy a chunk. */
  void fetch(Chunk chunk) {
    arriving.put(chunk.id(), chunk);
    if (!met) {
      return;
    }
    waiting.fetches.put(
        chunk.id(),
        FetchChunk.newBuilder()
            .setChunk(chunk.id())
            .setJob(chunk.ifile().job())
            .setHost(chunk.server().host())
            .setPort(chunk.server().port())
            .build());
  }

  void opened(Chunk chunk) {
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
    forget();
    met = withLeader;
    host = request.getHost();
    port = request.getPort();
    webPort = request.getWebPort();
    rack = resolvedRack;
    capacity = request.getMemoryCapacity() + request.getDiskCapacity();
    live = true;
    lastHeardMs = nowMs;
    waiting.drain = met && draining;
  }

  void heard(HeartbeatRequest request, String newSession, long nowMs) {
    heardUsed = request.getMemoryUsed() + request.getDiskUsed();
    lastHeardMs = nowMs;
    if (!session.equals(newSession)) {
      waiting.addAll(sent);
    } else if (sent.drain) {
      drainConfirmed = true;
    }
    session = newSession;
    sent.clear();
  }

  void died() {
    live = false;
    forget();
  }

  void deleteJob(String job) {
    if (met) {
      waiting.jobs.add(job);
    }
  }

  /** Has it sort what it has of a job whose maps have all committed. */
  void completeJob(String job) {
    if (met) {
      waiting.completeJobs.add(job);
    }
  }

  void deleteChunk(long chunk) {
    if (met) {
      waiting.chunks.add(chunk);
    }
  }

  boolean hasCommands() {
    return !waiting.isEmpty();
  }

  HeartbeatResponse takeCommands() {
    HeartbeatResponse response =
        HeartbeatResponse.newBuilder()
            .addAllDeleteJobs(waiting.jobs)
            .addAllDeleteChunks(waiting.chunks)
            .setDrain(draining)
            .addAllFetchChunks(waiting.fetches.values())
            .addAllCompleteJobs(waiting.completeJobs)
            .build();
    sent.addAll(waiting);
    waiting.clear();
    return response;
  }

  @Override
  public String toString() {
    return "chunkserver " + id + " at " + host + ":" + port + " rack=" + rack;
  }
}
