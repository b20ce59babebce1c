package dev.sailfish.lineage.qfs.write;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.lineage.qfs.meta.ChunkInfo;
import dev.sailfish.lineage.qfs.meta.MetaClient;
import dev.sailfish.lineage.qfs.meta.RetrySettings;
import dev.sailfish.lineage.qfs.wire.Buffers;
import dev.sailfish.lineage.qfs.wire.Call;
import dev.sailfish.lineage.qfs.wire.Connection;
import dev.sailfish.lineage.qfs.wire.Connections;
import dev.sailfish.lineage.qfs.wire.QfsException;
import dev.sailfish.lineage.qfs.wire.Reply;
import dev.sailfish.lineage.qfs.wire.Request;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.zip.Adler32;

/**
 * Writes one chunk. Pieces go to the first server of the chain, which passes them on and answers
 * when all servers have them. What has no answer is kept, and is sent again to the servers that a
 * new ALLOCATE names when one of them fails. Used by one thread.
 */
final class ChunkWriter {
  private static final int MOST_CLOSES = 6;

  private final Target target;
  private final long chunkOffset;
  private final Deque<Piece> unanswered = new ArrayDeque<>();
  private ChunkInfo chunk;
  private Connection line;
  private String chain;
  private int failures;
  private long endNs;

  /** What all chunks of one file share. */
  record Target(
      String path,
      long file,
      MetaClient meta,
      Connections connections,
      Buffers buffers,
      RetrySettings retry) {}

  /** Bytes for one place in the chunk. */
  private static final class Piece {
    private final int offset;
    private final ByteBuffer bytes;
    private final long checksum;
    private final ByteBuffer owned;
    private Call call;

    Piece(int offset, ByteBuffer bytes, ByteBuffer owned) {
      this.offset = offset;
      this.bytes = bytes;
      this.owned = owned;
      Adler32 adler = new Adler32();
      adler.update(bytes.duplicate());
      this.checksum = adler.getValue();
    }
  }

  /**
   * @param chunkOffset in the file
   */
  ChunkWriter(Target target, long chunkOffset) {
    this.target = target;
    this.chunkOffset = chunkOffset;
  }

  long chunkOffset() {
    return chunkOffset;
  }

  /**
   * Sends bytes; their answer is waited for in {@link #settle}. A server takes whole blocks from a
   * block's begin on, or less than a block that does not reach into the next one.
   *
   * @param offset in the chunk
   * @param bytes of {@link Buffers}, from 0 to its limit; this object owns it now
   */
  void send(int offset, ByteBuffer bytes) throws IOException {
    for (Piece piece : split(offset, bytes)) {
      unanswered.add(piece);
      try {
        if (line == null) {
          open();
        }
        send(piece);
      } catch (IOException e) {
        recover(e);
      }
    }
  }

  private static List<Piece> split(int offset, ByteBuffer bytes) {
    List<Piece> pieces = new ArrayList<>();
    int from = 0;
    int limit = bytes.limit();
    while (from < limit) {
      int inBlock = (offset + from) % ChunkInfo.BLOCK_BYTES;
      int left = limit - from;
      int length;
      if (inBlock > 0) {
        length = Math.min(left, ChunkInfo.BLOCK_BYTES - inBlock);
      } else {
        length = left < ChunkInfo.BLOCK_BYTES ? left : left - left % ChunkInfo.BLOCK_BYTES;
      }
      boolean last = from + length == limit;
      pieces.add(new Piece(offset + from, bytes.slice(from, length), last ? bytes : null));
      from += length;
    }
    return pieces;
  }

  private String subject() {
    return chunk == null
        ? target.path() + " at " + chunkOffset
        : "%s at %s, chunk %s version %s at %s"
            .formatted(target.path(), chunkOffset, chunk.id(), chunk.version(), chunk.servers());
  }

  /** Gets the right to write, and an id from each server of the chain. */
  private void open() throws IOException {
    chunk = target.meta().allocate(target.path(), target.file(), chunkOffset);
    if (chunk.servers().isEmpty()) {
      throw new IOException(subject() + ": the metaserver names no server for it");
    }
    line = target.connections().take(chunk.servers().get(0));
    StringBuilder servers = new StringBuilder();
    for (HostPort server : chunk.servers()) {
      servers.append(' ').append(server.host()).append(' ').append(server.port());
    }
    Reply reply =
        line.call(
            onChunk("WRITE_ID_ALLOC")
                .field("Offset", 0)
                .field("Num-bytes", 0)
                .field("For-record-append", 0)
                .field("Num-servers", chunk.servers().size())
                .field("Servers", servers.substring(1)));
    chain = reply.text("Write-id", "");
    if (chain.isEmpty() || reply.number("Write-prepare-reply", 0) == 0) {
      throw new IOException(
          subject() + ": " + line.server() + " does not answer writes; QFS 1.2 or newer is needed");
    }
  }

  private Request onChunk(String operation) {
    return Request.of(operation)
        .field("Chunk-handle", chunk.id())
        .field("Chunk-version", chunk.version())
        .about(subject());
  }

  private Request onChain(Request request) {
    return request.field("Num-servers", chunk.servers().size()).field("Servers", chain);
  }

  private void send(Piece piece) throws IOException {
    piece.call =
        line.send(
            onChain(
                    onChunk("WRITE_PREPARE")
                        .field("Offset", piece.offset)
                        .field("Num-bytes", piece.bytes.remaining())
                        .field("Checksum", piece.checksum)
                        .field("Reply", 1))
                .body(piece.bytes));
  }

  /** How many buffers it owns. */
  int unanswered() {
    return unanswered.size();
  }

  /**
   * Waits until all servers have all but so many pieces.
   *
   * @throws IOException naming what is not known to be held; nothing more can be written then
   */
  void settle(int most) throws IOException {
    while (unanswered.size() > most) {
      Piece oldest = unanswered.peek();
      try {
        oldest.call.answer();
        unanswered.remove();
        if (oldest.owned != null) {
          target.buffers().give(oldest.owned);
        }
        failures = 0;
      } catch (IOException e) {
        recover(e);
      }
    }
  }

  /** Sends what has no answer to the servers that a new ALLOCATE names. */
  private void recover(IOException first) throws IOException {
    IOException why = first;
    while (true) {
      letGo();
      failures++;
      if (failures == 1) {
        endNs = target.retry().endNs(target.connections().clock());
      }
      if (isFinal(why) || !pause()) {
        throw new IOException(
            "%s: %s bytes from %s on are not held by all servers, after %s attempts: %s"
                .formatted(
                    subject(), unheld(), chunkOffset + firstOffset(), failures, why.getMessage()),
            why);
      }
      try {
        open();
        for (Piece piece : unanswered) {
          send(piece);
        }
        return;
      } catch (IOException e) {
        e.addSuppressed(why);
        why = e;
      }
    }
  }

  private boolean pause() throws IOException {
    return target.retry().pause(target.connections().clock(), failures, endNs, subject());
  }

  /** What a metaserver refuses for good. What a chunkserver refuses, another one may take. */
  private static boolean isFinal(IOException why) {
    if (!(why instanceof QfsException refusal) || !refusal.operation().equals("ALLOCATE")) {
      return false;
    }
    return switch (refusal.error()) {
      case ENOENT, EACCES, EPERM, EROFS, EDQUOT, EINVAL, EISDIR, ENOTDIR, EFBIG, ENOSYS -> true;
      default -> false;
    };
  }

  private int firstOffset() {
    return unanswered.isEmpty() ? 0 : unanswered.peek().offset;
  }

  private long unheld() {
    return unanswered.stream().mapToLong(piece -> piece.bytes.remaining()).sum();
  }

  /** Closes the connection, after which no piece's bytes are used by it. */
  private void letGo() {
    if (line == null) {
      return;
    }
    line.close();
    for (Piece piece : unanswered) {
      awaitEnd(piece.call);
    }
    target.connections().give(line);
    line = null;
  }

  private static void awaitEnd(Call call) {
    try {
      if (call != null) {
        call.await();
      }
    } catch (IOException e) {
      // The reason is known already, from the first that failed.
      assert call.isDone();
    }
  }

  /**
   * Waits for all answers and ends the right to write.
   *
   * @return false: all is held, but the server did not take the end; the right ends by itself later
   */
  boolean close() throws IOException {
    settle(0);
    failures = 0;
    endNs = target.retry().endNs(target.connections().clock());
    while (line != null) {
      try {
        line.call(onChain(onChunk("CLOSE").field("Has-write-id", 1)));
        target.connections().give(line);
        line = null;
      } catch (IOException e) {
        if (!openToClose()) {
          return false;
        }
      }
    }
    return true;
  }

  /** Gets a right to write once more, as with any of them the servers end all of them. */
  private boolean openToClose() throws IOException {
    while (failures < MOST_CLOSES) {
      letGo();
      failures++;
      if (!pause()) {
        return false;
      }
      try {
        open();
        return true;
      } catch (InterruptedIOException e) {
        throw e;
      } catch (IOException e) {
        letGo();
      }
    }
    letGo();
    return false;
  }

  /** Forgets all that is not held. */
  void abort() {
    letGo();
    for (Piece piece : unanswered) {
      if (piece.owned != null) {
        target.buffers().give(piece.owned);
      }
    }
    unanswered.clear();
  }
}
