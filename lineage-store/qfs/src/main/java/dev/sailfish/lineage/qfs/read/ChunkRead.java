package dev.sailfish.lineage.qfs.read;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.RetrySettings;
import dev.sailfish.lineage.qfs.wire.BrokenConnectionException;
import dev.sailfish.lineage.qfs.wire.Call;
import dev.sailfish.lineage.qfs.wire.Clock;
import dev.sailfish.lineage.qfs.wire.QfsError;
import dev.sailfish.lineage.qfs.wire.QfsException;
import dev.sailfish.lineage.qfs.wire.Reply;
import dev.sailfish.lineage.qfs.wire.Request;
import dev.sailfish.lineage.qfs.wire.ServerLines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * One READ of a range inside one chunk: on its way from {@link #start} on, and repeated at the
 * chunk's other servers in {@link #finish} when the first one fails. Used by one thread.
 */
final class ChunkRead {
  /** Rounds over all servers of a chunk before what cannot pass by itself is given up. */
  private static final int ROUNDS = 2;

  private final Source source;
  private final long position;
  private final ByteBuffer target;
  private final int length;
  private Call call;
  private ChunkInfo chunk;
  private int server;
  private IOException failure;

  /** What all reads of one open file share. */
  record Source(
      String path, ChunkLocator chunks, ServerLines lines, RetrySettings retry, Clock clock) {}

  /**
   * @param position in the file
   * @param target direct; filled from its position to its limit, all in one chunk
   */
  ChunkRead(Source source, long position, ByteBuffer target) {
    this.source = source;
    this.position = position;
    this.target = target;
    this.length = target.remaining();
  }

  /** Asks the first server, and waits for nothing but room. */
  void start() throws IOException {
    chunk = source.chunks().at(position);
    if (chunk != null && !chunk.servers().isEmpty()) {
      // Neighbouring chunks begin at different servers of the same set.
      server = (int) ((position / ChunkInfo.BYTES) % chunk.servers().size());
      send(0, true);
    }
  }

  private long offset() {
    return position % ChunkInfo.BYTES;
  }

  private String subject() {
    return "%s at %s, chunk %s version %s"
        .formatted(source.path(), position, chunk.id(), chunk.version());
  }

  private void send(int from, boolean diskChecksums) throws IOException {
    Request request =
        Request.of("READ")
            .field("Chunk-handle", chunk.id())
            .field("Chunk-version", chunk.version())
            .field("Offset", offset() + from)
            .field("Num-bytes", length - from)
            .about(subject())
            .into(target.slice(target.position() + from, length - from));
    if (diskChecksums) {
      request.field("Skip-Disk-Chksum", 1);
    }
    try {
      call = source.lines().to(chunk.servers().get(server)).send(request);
    } catch (IOException e) {
      call = null;
      note(e);
    }
  }

  /**
   * Waits until the whole range is there; where the file has a hole it is zeros. Afterwards the
   * target belongs to the caller again.
   *
   * @throws IOException when no server can serve it; the last reason of each is in it
   */
  void finish() throws IOException {
    long endNs = source.retry().endNs(source.clock());
    int failures = 0;
    while (!attempt()) {
      failures++;
      boolean allFailed = chunk == null || failures % Math.max(1, chunk.servers().size()) == 0;
      if (allFailed && !goOn(failures, endNs)) {
        throw gaveUp(failures);
      }
      if (chunk == null || chunk.servers().isEmpty()) {
        continue;
      }
      server = (server + 1) % chunk.servers().size();
      send(0, failures < chunk.servers().size());
    }
  }

  /** After a round over all servers: whether there is sense in another one, and a pause. */
  private boolean goOn(int failures, long endNs) throws IOException {
    int servers = chunk == null ? 1 : Math.max(1, chunk.servers().size());
    int rounds = failures / servers;
    if (rounds >= ROUNDS && !mayPass(failure)) {
      return false;
    }
    if (!source.retry().pause(source.clock(), rounds, endNs, "READ of " + source.path())) {
      return false;
    }
    try {
      chunk = source.chunks().refresh(position);
      server = 0;
    } catch (QfsException e) {
      note(e);
    }
    return true;
  }

  private static boolean mayPass(IOException failure) {
    return failure instanceof BrokenConnectionException
        || failure instanceof QfsException refusal && refusal.error().mayPass();
  }

  private IOException gaveUp(int failures) {
    List<HostPort> servers = chunk == null ? List.of() : chunk.servers();
    return new IOException(
        servers.isEmpty()
            ? "%s at %s: no server has a copy of the chunk%s now; see the file with qfsfsck"
                .formatted(source.path(), position, chunk == null ? "" : " " + chunk.id())
            : "%s: cannot be read at %s after %s attempts, last: %s"
                .formatted(subject(), servers, failures, failure.getMessage()),
        failure);
  }

  /** Waits until nobody else uses the target, whatever has come of it. */
  void abandon() {
    try {
      if (call != null) {
        call.await();
      }
    } catch (IOException e) {
      // Nobody wants it any more, and the call has let go of its buffer.
      failure = e;
    }
    call = null;
  }

  /** Takes the outcome of the request on its way; false when that has failed. */
  private boolean attempt() throws IOException {
    if (chunk == null) {
      zero(0);
      return true;
    }
    if (call == null) {
      return false;
    }
    int done = 0;
    try {
      while (true) {
        int count = take(done);
        done += count;
        if (done == length || endsAt(offset() + done)) {
          zero(done);
          return true;
        }
        if (count == 0) {
          throw new IOException(subject() + ": no bytes at " + (offset() + done) + ", and no end");
        }
        send(done, true);
        if (call == null) {
          return false;
        }
      }
    } catch (IOException e) {
      call = null;
      note(e);
      return false;
    }
  }

  /** Waits for the call; how many good bytes it brought. */
  private int take(int from) throws IOException {
    Reply reply;
    try {
      reply = call.answer();
    } catch (QfsException e) {
      if ((e.error() == QfsError.EIO || e.error() == QfsError.EINVAL) && endsAt(offset() + from)) {
        // Where nothing is any more, a server calls it an error to read.
        return 0;
      }
      throw e;
    }
    ByteBuffer body = reply.body();
    if (reply.status() != body.remaining()) {
      throw new IOException(
          "%s: status=%s and %s bytes".formatted(subject(), reply.status(), body.remaining()));
    }
    BlockChecksums.check(reply, offset() + from, body);
    return body.remaining();
  }

  /** Whether the chunk has no byte there any more, on the server that was asked. */
  private boolean endsAt(long offset) throws IOException {
    Reply reply =
        source
            .lines()
            .to(chunk.servers().get(server))
            .call(
                Request.of("SIZE")
                    .field("Chunk-handle", chunk.id())
                    .field("Chunk-version", chunk.version())
                    .about(subject()));
    return reply.number("Size", Long.MAX_VALUE) <= offset;
  }

  private void zero(int from) {
    for (int i = from; i < length; i++) {
      target.put(target.position() + i, (byte) 0);
    }
  }

  private void note(IOException e) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw e;
    }
    if (failure != null && failure != e) {
      e.addSuppressed(failure);
    }
    failure = e;
  }
}
