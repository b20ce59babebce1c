package dev.sailfish.lineage.worker.under;

import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.lineage.protocol.BlockTail;
import dev.sailfish.lineage.understore.CopyWriter;
import dev.sailfish.lineage.understore.hadoop.UnderStores;
import dev.sailfish.lineage.worker.block.BlockId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One copy that a client writes: its bytes, or blocks of which the client says where they are. They
 * go below in the order in which they were handed in, on threads of the mount; nothing here waits.
 * Until the end has come, nothing is below; after a failure nothing but the end of the writer
 * follows. Thread-safe.
 */
final class CopyStream {
  /** The longest piece, in bytes. */
  static final int LONGEST_PIECE = 1 << 20;

  /** Pieces that may be here at once. */
  private static final int MOST_PIECES = 4;

  private static final Logger LOG = LoggerFactory.getLogger(CopyStream.class);

  private final long fid;
  private final UnderAccess access;
  private final BlockAppender appender;
  private final Recorder recorder;
  private final OrderedWork work = new OrderedWork();

  private CopyState state = CopyState.BEGINNING;
  private IOException failure;
  private int pieces;
  private long heardNs;

  // Changed by what is done in order, alone.
  private volatile Below file;
  private UnderStores.Use use;
  private CopyWriter writer;
  private volatile boolean closed;

  CopyStream(long fid, UnderAccess access, BlockAppender appender, Recorder recorder) {
    this.fid = fid;
    this.access = access;
    this.appender = appender;
    this.recorder = recorder;
    this.heardNs = access.clock().nanoTime();
  }

  /** Something that is done in order. */
  private interface Step {
    void run() throws IOException;
  }

  /** Finds where the file is below, and opens a writer there. */
  CompletableFuture<Void> begin() {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    add(
        access.lookups(),
        answer,
        () -> {
          if (attempt(answer, this::find)) {
            add(access.pools().calls(file.mount()), answer, () -> finish(answer, this::open));
          }
        });
    return answer;
  }

  private void find() throws IOException {
    Below found = access.master().file(fid, false);
    if (found.entry().getComplete()) {
      throw new RequestRefusedException(
          Status.CONFLICT, found + " is complete: it is copied with COPY_FILE");
    }
    file = found;
  }

  private void open() throws IOException {
    use = access.stores().use(file.mount(), file.owner());
    writer = use.store().write(file.target());
    transition(CopyState.OPEN);
  }

  /**
   * Makes room for a piece of a client.
   *
   * @throws RequestRefusedException when it cannot be taken
   */
  synchronized ByteBuffer room(int length) throws RequestRefusedException {
    requireOpen();
    if (length > LONGEST_PIECE || pieces == MOST_PIECES) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "a copy takes pieces of at most %d bytes, and %d before the first is answered: bytes=%d"
              .formatted(LONGEST_PIECE, MOST_PIECES, length));
    }
    pieces++;
    return ByteBuffer.allocate(length);
  }

  /** The piece for which there was room will not come. */
  synchronized void drop() {
    pieces--;
  }

  /**
   * The piece has come.
   *
   * @param offset how many bytes of the file come before
   * @param sums CRC32C of each unit, as the client says
   */
  CompletableFuture<Void> write(long offset, ByteBuffer piece, int[] sums) {
    // Who gets this hears of the end after there is room again.
    return inOrder(() -> append(offset, piece, sums)).whenComplete((done, failed) -> drop());
  }

  private void append(long offset, ByteBuffer piece, int[] sums) throws IOException {
    if (offset != writer.length()) {
      throw new RequestRefusedException(
          Status.BAD_REQUEST,
          "a copy is written in order: %s offset=%d written=%d"
              .formatted(file, offset, writer.length()));
    }
    if (!Arrays.equals(sums, BlockTail.checksums(piece))) {
      throw new RequestRefusedException(
          Status.CORRUPT, "bytes of " + file + " arrived damaged: offset=" + offset);
    }
    writer.write(piece);
  }

  /**
   * The next bytes are those of a block.
   *
   * @param place where it is, as the client says: where that worker is says the master
   */
  CompletableFuture<Void> append(BlockId block, long length, int place) {
    BlockAppender.Finding worker = () -> access.master().worker(fid, Located.worker(place));
    return inOrder(() -> appender.append(writer, block, length, worker));
  }

  /** All bytes were handed in: makes the copy, and has the master record it. */
  CompletableFuture<Void> end(long length) {
    return inOrder(
        () -> {
          transition(CopyState.ENDING);
          if (length != writer.length()) {
            throw new RequestRefusedException(
                Status.BAD_REQUEST,
                "the copy of %s has bytes=%d, not %d".formatted(file, writer.length(), length));
          }
          recorder.record(file, use.store(), writer.commit());
          transition(CopyState.ENDED);
          closeWriter();
        });
  }

  /** Gives the copy up, unless it is being made at this moment. */
  CompletableFuture<Void> abandon(String why) {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    if (isBeingMade() || !breakDown(new IOException(why))) {
      answer.complete(null);
      return answer;
    }
    Below known = file;
    Executor pool = known == null ? access.lookups() : access.pools().calls(known.mount());
    add(
        pool,
        answer,
        () -> {
          closeWriter();
          answer.complete(null);
        });
    return answer;
  }

  private CompletableFuture<Void> inOrder(Step step) {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    try {
      synchronized (this) {
        requireOpen();
        heardNs = access.clock().nanoTime();
      }
    } catch (RequestRefusedException e) {
      answer.completeExceptionally(e);
      return answer;
    }
    add(access.pools().calls(file.mount()), answer, () -> finish(answer, step));
    return answer;
  }

  private void add(Executor pool, CompletableFuture<Void> answer, Runnable step) {
    try {
      work.add(pool, step);
    } catch (RejectedExecutionException e) {
      IOException refusal = Failures.refusal(e);
      breakDown(refusal); // the writer is closed when the pool has time
      answer.completeExceptionally(refusal);
    }
  }

  private void finish(CompletableFuture<Void> answer, Step step) {
    if (attempt(answer, step)) {
      answer.complete(null);
    }
  }

  private boolean attempt(CompletableFuture<Void> answer, Step step) {
    try {
      requireUnbroken();
      step.run();
      synchronized (this) {
        heardNs = access.clock().nanoTime();
      }
      return true;
    } catch (IOException | RuntimeException e) {
      IOException refusal = Failures.refusal(e);
      breakDown(refusal);
      closeWriter();
      answer.completeExceptionally(refusal);
      return false;
    }
  }

  private synchronized void requireOpen() throws RequestRefusedException {
    requireUnbroken();
    if (state != CopyState.OPEN) {
      throw new RequestRefusedException(
          Status.NOT_HELD, "the copy of fid=%016x is %s: begin it again".formatted(fid, state));
    }
  }

  private synchronized void requireUnbroken() throws RequestRefusedException {
    if (state == CopyState.BROKEN) {
      throw new RequestRefusedException(
          Status.NOT_HELD,
          "the copy of fid=%016x came to nothing: %s".formatted(fid, failure.getMessage()));
    }
  }

  private synchronized void transition(CopyState next) throws RequestRefusedException {
    requireUnbroken();
    if (!state.next().contains(next)) {
      throw new IllegalStateException("a copy that is " + state + " cannot become " + next);
    }
    state = next;
  }

  private synchronized boolean isBeingMade() {
    return state == CopyState.ENDING;
  }

  /** Whether it was not broken or ended before. */
  private synchronized boolean breakDown(IOException cause) {
    boolean isNew = state.next().contains(CopyState.BROKEN);
    if (isNew) {
      state = CopyState.BROKEN;
      failure = cause;
    }
    return isNew;
  }

  /** In order; may wait for the under store, as long as a deadline of the mount. */
  private void closeWriter() {
    if (writer != null) {
      writer.close();
      writer = null;
    }
    if (use != null) {
      use.close();
      use = null;
    }
    closed = true;
  }

  /** Whether nothing is to be done for it any more. */
  synchronized boolean isOver() {
    return closed && (state == CopyState.ENDED || state == CopyState.BROKEN);
  }

  /** Whether it was given up or failed. */
  synchronized boolean isBroken() {
    return state == CopyState.BROKEN;
  }

  /**
   * Ends what a full pool has left, and asks the master whether the file is still written when
   * nothing was heard of it for some time.
   */
  void look(long silenceNs) {
    if (closed || !work.isIdle()) {
      return;
    }
    if (isBroken()) {
      closeLater();
      return;
    }
    synchronized (this) {
      boolean isSilent = access.clock().nanoTime() - heardNs >= silenceNs;
      if (state != CopyState.OPEN || !isSilent) {
        return;
      }
      heardNs = access.clock().nanoTime();
    }
    try {
      access.lookups().execute(this::askWhetherWanted);
    } catch (RejectedExecutionException e) {
      LOG.debug("fid={} is asked for again later", fid, e);
    }
  }

  private void closeLater() {
    Below known = file;
    try {
      work.add(
          known == null ? access.lookups() : access.pools().calls(known.mount()),
          this::closeWriter);
    } catch (RejectedExecutionException e) {
      LOG.debug("the copy of {} is closed later", known, e);
    }
  }

  private void askWhetherWanted() {
    try {
      if (access.master().file(fid, false).entry().getComplete()) {
        abandon("the file was completed without it");
      }
    } catch (RequestRefusedException e) {
      abandon("nothing was heard of its writer: " + e.getMessage());
    } catch (IOException e) {
      LOG.debug("no master says whether {} is still written", file, e);
    }
  }
}
