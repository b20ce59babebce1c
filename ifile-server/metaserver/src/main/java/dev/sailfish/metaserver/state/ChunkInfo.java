package dev.sailfish.metaserver.state;

import dev.sailfish.metaserver.wire.SnapshotChunk;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.ChunkLocation;
import dev.sailfish.protocol.wire.ChunkReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One chunk as the metaserver sees it. Its state follows {@link ChunkState#mayBecome}; {@link
 * #become} is the only place where it changes. Apart from the state a chunk can be closed to
 * bindings: it is OPEN then, and those that are bound go on, but nobody else is sent to it.
 *
 * <p>For quotas a chunk counts with the bytes that its server has reported. Reports come late, so
 * it counts with {@link #FIRST_BYTES} until the first one, and with its capacity from when an
 * appender has found it full until its server says that it takes no more.
 */
public final class ChunkInfo {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkInfo.class);

  /** What counts of a chunk that its server has not reported yet, unless its capacity is less. */
  static final long FIRST_BYTES = 1 << 20;

  private final long id;
  private final int number;
  private final Ifile ifile;
  private ServerInfo server;
  private ServerInfo target;
  private long copyNotBeforeMs = Long.MIN_VALUE;
  private ChunkState state = ChunkState.OPEN;
  private boolean bindable = true;
  private boolean reported;
  private boolean suspect;
  private int appenders;
  private long rawBytes;
  private long storedBytes;
  private long countedBytes;
  private boolean full;
  private long records;
  private long sortCpuUs;

  /**
   * @param number which one of its partition's chunks it is, from 0
   */
  ChunkInfo(long id, int number, Ifile ifile, ServerInfo server) {
    this.id = id;
    this.number = number;
    this.ifile = ifile;
    this.server = server;
    server.opened(this);
    recount();
  }

  long id() {
    return id;
  }

  /** Which one of its partition's chunks it is, from 0, in the order in which they were opened. */
  int number() {
    return number;
  }

  Ifile ifile() {
    return ifile;
  }

  ServerInfo server() {
    return server;
  }

  ChunkState state() {
    return state;
  }

  long storedBytes() {
    return storedBytes;
  }

  /** The server that it is being copied to, or null. */
  ServerInfo target() {
    return target;
  }

  /** Sets where it is being copied to; null: nowhere. */
  void copyTo(ServerInfo newTarget) {
    ifile.job().changing(this);
    target = newTarget;
  }

  /** When a copy may be tried. */
  long copyNotBeforeMs() {
    return copyNotBeforeMs;
  }

  void delayCopy(long notBeforeMs) {
    copyNotBeforeMs = notBeforeMs;
  }

  /** The copy is complete: from now on it is there. */
  void moveToTarget() {
    ifile.job().changing(this);
    LOG.info("{} moves to {}", this, target);
    server.chunks().remove(id);
    server = target;
    target = null;
    server.chunks().put(id, this);
  }

  /** Whether its server ever said that it holds it; before the first append it does not. */
  boolean isReported() {
    return reported;
  }

  /** Appenders bound now. */
  int appenders() {
    return appenders;
  }

  /** Whether further appenders may be sent here. */
  boolean isBindable() {
    return bindable;
  }

  /** Whether what is in it can be counted on: nobody found it lost or unreadable. */
  boolean isTrusted() {
    return !suspect && state != ChunkState.LOST && server.isLive();
  }

  /** Whether a reader could not read it. */
  boolean isSuspect() {
    return suspect;
  }

  /**
   * A reader could not read it.
   *
   * @return whether that is new
   */
  boolean becomeSuspect() {
    ifile.job().changing(this);
    boolean isNew = !suspect;
    suspect = true;
    if (isNew) {
      LOG.warn("{} could not be read by a reducer; state={}", this, state);
      closeToBindings("could not be read");
    }
    return isNew;
  }

  void bind() {
    appenders++;
  }

  void unbind() {
    if (appenders == 0) {
      throw new IllegalStateException("no appender is bound: " + this);
    }
    appenders--;
    ifile.left(this);
  }

  /** An appender found it full: what its server has reported of it is old. */
  void becomeFull() {
    ifile.job().changing(this);
    full = true;
    recount();
    closeToBindings("an appender found it full");
  }

  private void recount() {
    long counts = storedBytes;
    if (state == ChunkState.OPEN && full) {
      counts = Math.max(counts, ifile.job().spec().chunkBytes());
    } else if (state == ChunkState.OPEN && !reported) {
      counts = Math.max(counts, Math.min(FIRST_BYTES, ifile.job().spec().chunkBytes()));
    }
    ifile.job().grew(counts - countedBytes);
    countedBytes = counts;
  }

  /** No further appender is sent here. */
  void closeToBindings(String reason) {
    if (bindable) {
      ifile.job().changing(this);
      bindable = false;
      ifile.closed(this);
      server.closed();
      LOG.debug("{} takes no further appenders: {}", this, reason);
    }
  }

  /**
   * Changes the state.
   *
   * @param reason for the log
   * @throws IllegalStateException when the life of a chunk has no such arrow
   */
  void become(ChunkState next, String reason) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(
          this + " cannot become " + next + " from " + state + ", reason: " + reason);
    }
    ifile.job().changing(this);
    if (next == ChunkState.LOST) {
      // There can be hundreds of thousands at a time: the caller tells of all of them at once.
      LOG.debug("{} {} -> {}: {}", this, state, next, reason);
      store(0);
    } else {
      LOG.info("{} {} -> {}: {}", this, state, next, reason);
    }
    state = next;
    recount();
    closeToBindings(reason);
  }

  /**
   * Takes over what the chunkserver says. States that passed between two reports are passed here
   * too; a report that comes late and shows an earlier state changes nothing.
   */
  void apply(ChunkReport report, ChunkState told) {
    ifile.job().changing(this);
    reported = true;
    if (told != ChunkState.LOST && told.code() < state.code()) {
      LOG.debug("{} is {}, report of {} is late", this, state, told);
      return;
    }
    rawBytes = report.getRawBytes();
    store(Math.max(0, report.getStoredBytes()));
    records = report.getRecords();
    // A server that has it from before its start, or from another one, knows of no sort.
    sortCpuUs = Math.max(sortCpuUs, report.getSortCpuUs());
    if (told == state) {
      return;
    }
    if (told == ChunkState.SORTED && state == ChunkState.OPEN) {
      become(ChunkState.STABLE, "its server sorted it");
    }
    become(told, "its server says so");
  }

  private void store(long bytes) {
    storedBytes = bytes;
    recount();
  }

  /**
   * Takes over what a snapshot says.
   *
   * @param savedTarget where it is being copied to, or null
   */
  void restore(SnapshotChunk saved, ChunkState savedState, ServerInfo savedTarget) {
    state = savedState;
    reported = saved.getReported();
    suspect = saved.getSuspect();
    full = saved.getFull();
    rawBytes = saved.getRawBytes();
    store(saved.getStoredBytes());
    records = saved.getRecords();
    sortCpuUs = saved.getSortCpuUs();
    if (!saved.getBindable()) {
      closeToBindings("it was, in the snapshot");
    }
    if (savedTarget != null) {
      target = savedTarget;
      savedTarget.arriving().put(id, this);
    }
  }

  SnapshotChunk snapshot() {
    return SnapshotChunk.newBuilder()
        .setId(id)
        .setPartition(ifile.partition())
        .setRack(ifile.rack())
        .setServerId(server.id())
        .setState(state.code())
        .setBindable(bindable)
        .setReported(reported)
        .setSuspect(suspect)
        .setFull(full)
        .setTargetId(target == null ? "" : target.id())
        .setRawBytes(rawBytes)
        .setStoredBytes(storedBytes)
        .setRecords(records)
        .setSortCpuUs(sortCpuUs)
        .build();
  }

  ChunkLocation location() {
    return ChunkLocation.newBuilder()
        .setChunk(id)
        .setState(state.code())
        .setServerId(server.id())
        .setHost(server.host())
        .setPort(server.port())
        .setRawBytes(rawBytes)
        .build();
  }

  ChunkDescription describe(boolean doubted) {
    return ChunkDescription.newBuilder()
        .setChunk(id)
        .setPartition(ifile.partition())
        .setRack(ifile.rack())
        .setState(state.code())
        .setServerId(server.id())
        .setHost(server.host())
        .setPort(server.port())
        .setRawBytes(rawBytes)
        .setStoredBytes(storedBytes)
        .setRecords(records)
        .setAppenders(appenders)
        .setDoubted(doubted)
        .setSortCpuUs(sortCpuUs)
        .build();
  }

  @Override
  public String toString() {
    return "chunk " + Long.toHexString(id) + " of " + ifile + " on chunkserver " + server.id();
  }
}
