package dev.sailfish.lineage.qfs.append;

import dev.sailfish.lineage.qfs.append.AppendCalls.Appended;
import dev.sailfish.lineage.qfs.append.AppendCalls.WriteIds;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.wire.Clock;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Set;

/**
 * Gets one batch after the other into the file: the {@link AppenderState} of an appender and what
 * is done in each state. Blocks; for one thread at a time.
 */
final class ChunkAppender {
  /** What the metaserver says to an append that it will never allow. */
  private static final Set<QfsError> HOPELESS =
      Set.of(
          QfsError.EPERM,
          QfsError.ENOENT,
          QfsError.EACCES,
          QfsError.ENOTDIR,
          QfsError.EISDIR,
          QfsError.EINVAL,
          QfsError.EROFS);

  /** Answers to an append that do not say whether all servers have it. */
  private static final Set<QfsError> DOUBTFUL =
      Set.of(QfsError.EAGAIN, QfsError.EIO, QfsError.ETIMEDOUT, QfsError.EHOSTUNREACH);

  /**
   * After so many failures in a row the next chunk is asked for, whatever the metaserver thinks.
   */
  private static final Set<Integer> NEXT_CHUNK_AT = Set.of(2, 5, 15);

  private static final String READ_FIRST =
      "make the file stable and read it before these records are appended again, for they may be in"
          + " it; see with qfsfsck whether a chunkserver is down";

  private static final String LOOK_AT_SERVERS =
      "these records are not in the file: see with qfsping that chunkservers are up and have room,"
          + " and append them again with another appender";

  private final String path;
  private final AppendCalls calls;
  private final AppendSettings settings;
  private final Clock clock;

  private AppenderState state = AppenderState.UNBOUND;
  private ChunkInfo chunk;
  private WriteIds ids;
  private long lastSequence;
  private int reserved;
  private long wanted = AppendCalls.ANY_CHUNK;

  /** Of the batch that is appended now. */
  private ByteBuffer batch;

  private long batchOffset;
  private long endNs;
  private int failures;
  private IOException lastFailure;

  ChunkAppender(String path, AppendCalls calls, AppendSettings settings, Clock clock) {
    this.path = path;
    this.calls = calls;
    this.settings = settings;
    this.clock = clock;
  }

  AppenderState state() {
    return state;
  }

  /**
   * Appends the bytes between position and limit, which are not changed: all of them together and
   * once, or none.
   *
   * @return the offset of the first one in the file
   * @throws AppendInDoubtException when nobody could say whether they are in the file
   * @throws AppendException when they are not; this appender is FAILED in either case
   */
  long append(ByteBuffer bytes) throws IOException {
    batch = bytes;
    batchOffset = -1;
    endNs = settings.retry().endNs(clock);
    failures = 0;
    lastFailure = null;
    try {
      while (batchOffset < 0) {
        step();
      }
      return batchOffset;
    } finally {
      batch = null;
    }
  }

  /** Gives the write ids back; not while an append runs. An appender that has failed stays so. */
  void close() {
    if (state == AppenderState.BOUND || state == AppenderState.RESERVED) {
      giveBack();
    }
    if (state != AppenderState.FAILED && state != AppenderState.CLOSED) {
      become(AppenderState.CLOSED);
    }
    calls.release();
  }

  private void step() throws IOException {
    switch (state) {
      case UNBOUND -> allocate();
      case ALLOCATED -> bind();
      case BOUND -> reserve();
      case RESERVED -> beginAppend();
      case APPENDING -> send();
      case IN_DOUBT -> recover();
      case FULL -> leaveFullChunk();
      case CLOSED, FAILED ->
          throw new AppendException("append to %s: appender is %s".formatted(path, state), null);
    }
  }

  private void allocate() throws IOException {
    ChunkInfo next;
    try {
      next = calls.allocate(wanted, Math.max(settings.reserveBytes(), batch.remaining()));
    } catch (QfsException e) {
      if (HOPELESS.contains(e.error())) {
        become(AppenderState.FAILED);
        throw new AppendException("append to %s: %s".formatted(path, e.getMessage()), e);
      }
      failed(e);
      return;
    } catch (IOException e) {
      failed(e);
      return;
    }
    if (next.offset() < wanted || chunk != null && next.offset() < chunk.offset()) {
      // It is full, or records would come before those that were appended earlier.
      wanted = chunk.offset();
      failed(new IOException("metaserver named an earlier chunk: offset=" + next.offset()));
      return;
    }
    chunk = next;
    wanted = AppendCalls.ANY_CHUNK;
    become(AppenderState.ALLOCATED);
  }

  private void bind() throws IOException {
    try {
      ids = calls.writeIds(chunk);
      lastSequence = ids.sequence();
      reserved = 0;
      become(AppenderState.BOUND);
    } catch (IOException e) {
      ids = null;
      noRoomOrUnbound(e);
    }
  }

  private void reserve() throws IOException {
    int room = Math.max(settings.reserveBytes(), batch.remaining()) - reserved;
    try {
      calls.reserve(chunk, ids, room);
      reserved += room;
      become(AppenderState.RESERVED);
    } catch (IOException e) {
      noRoomOrUnbound(e);
    }
  }

  private void noRoomOrUnbound(IOException e) throws IOException {
    if (e instanceof QfsException refusal && refusal.error() == QfsError.ENOSPC) {
      lastFailure = e;
      become(AppenderState.FULL);
    } else {
      unbound(e);
    }
  }

  private void leaveFullChunk() throws IOException {
    if (ids != null) {
      giveBack();
    }
    wanted = chunk.offset() + ChunkInfo.BYTES;
    become(AppenderState.UNBOUND);
    // A full chunk is no failure, but the number of them is bounded by time all the same.
    checkDeadline();
  }

  private void giveBack() {
    try {
      calls.close(chunk, ids);
    } catch (IOException e) {
      // The server takes them back by itself after a while.
      lastFailure = e;
    }
  }

  private void beginAppend() {
    become(reserved < batch.remaining() ? AppenderState.BOUND : AppenderState.APPENDING);
  }

  private void send() throws IOException {
    try {
      Appended done = calls.append(chunk, ids, batch.duplicate());
      reserved -= batch.remaining();
      lastSequence = done.sequence();
      become(AppenderState.RESERVED);
      batchOffset = chunk.offset() + done.offset();
    } catch (QfsException e) {
      if (DOUBTFUL.contains(e.error())) {
        lastFailure = e;
        become(AppenderState.IN_DOUBT);
      } else {
        unbound(e);
      }
    } catch (IOException e) {
      lastFailure = e;
      become(AppenderState.IN_DOUBT);
    }
  }

  private void recover() throws IOException {
    AppendOutcome outcome =
        AppendOutcome.ask(calls, chunk, ids, lastSequence, batch.remaining(), failures > 0);
    switch (outcome.kind()) {
      case APPENDED -> {
        become(AppenderState.UNBOUND);
        batchOffset = chunk.offset() + outcome.offset();
      }
      case NOT_APPENDED -> unbound(lastFailure);
      case UNKNOWN -> failed(outcome.failure());
    }
  }

  private void unbound(IOException e) throws IOException {
    become(AppenderState.UNBOUND);
    if (NEXT_CHUNK_AT.contains(failures + 1)) {
      wanted = chunk.offset() + ChunkInfo.BYTES;
    }
    failed(e);
  }

  /** Counts a failure and waits, so that the state can be tried again. */
  private void failed(IOException e) throws IOException {
    failures++;
    lastFailure = e;
    checkDeadline();
    try {
      clock.pause(clock.nanoTime() + settings.retry().waitNs(failures), "append to " + path);
    } catch (InterruptedIOException interrupted) {
      throw giveUp(interrupted);
    }
  }

  private void checkDeadline() throws IOException {
    if (clock.nanoTime() - endNs >= 0) {
      throw giveUp(lastFailure);
    }
  }

  private AppendException giveUp(IOException cause) {
    boolean inDoubt = state == AppenderState.IN_DOUBT;
    String message =
        "append to %s: given up after %d failures and %s: state=%s chunk=%s bytes=%d: %s; %s"
            .formatted(
                path,
                failures,
                settings.retry().deadline(),
                state,
                chunk,
                batch.remaining(),
                cause,
                inDoubt ? READ_FIRST : LOOK_AT_SERVERS);
    become(AppenderState.FAILED);
    return inDoubt
        ? new AppendInDoubtException(message, cause)
        : new AppendException(message, cause);
  }

  /** The one place where the state changes. */
  void become(AppenderState next) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "appender of %s: %s does not follow %s".formatted(path, next, state));
    }
    state = next;
  }
}
