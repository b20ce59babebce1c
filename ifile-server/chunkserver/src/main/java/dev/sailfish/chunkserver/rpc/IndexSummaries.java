package dev.sailfish.chunkserver.rpc;

import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.chunk.Chunk;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.chunk.SortedFile;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.format.tail.IndexSummary;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.SummarizeIndexRequest;
import dev.sailfish.protocol.wire.SummarizeIndexResponse;
import java.nio.ByteBuffer;

/**
 * Answers SUMMARIZE_INDEX. Nothing here waits; what one request makes the server read and send is
 * bounded, and the asker goes on where the answer ends.
 */
final class IndexSummaries {
  private static final int MAX_BYTES = 1 << 20;

  /** Of how many entries indexes are parsed for one request, and those of one more chunk. */
  private static final int MAX_INDEX_ENTRIES = 1 << 16;

  private final ChunkTable chunks;
  private final Metrics<ChunkserverMetric> metrics;

  IndexSummaries(ChunkTable chunks, Metrics<ChunkserverMetric> metrics) {
    this.chunks = chunks;
    this.metrics = metrics;
  }

  void reply(Request request, SummarizeIndexRequest asked) throws RequestRefusedException {
    long wanted = Integer.toUnsignedLong(asked.getMaxBytes());
    int room = wanted == 0 || wanted > MAX_BYTES ? MAX_BYTES : (int) wanted;
    ByteBuffer out = ByteBuffer.allocate(Math.max(room, IndexSummary.MIN_ROOM));
    int chunk = asked.getFromChunk();
    int entry = asked.getFromEntry();
    int parsed = 0;
    if (chunk < 0) {
      throw beyond(asked);
    }
    while (chunk < asked.getChunksCount()
        && parsed < MAX_INDEX_ENTRIES
        && out.remaining() >= IndexSummary.MIN_ROOM) {
      long id = asked.getChunks(chunk);
      ChunkTail tail = null;
      SortedFile file = sorted(asked, id);
      if (file != null && file.first() != id) {
        IndexSummary.writeEmpty(id, out); // the first one's sums are over the whole file
        file.segment().release();
      } else if (file != null) {
        tail = tail(asked.getJob(), id, file);
      }
      if (tail != null) {
        if (entry < 0 || entry > 0 && entry >= tail.entries()) {
          throw beyond(asked);
        }
        parsed += tail.entries();
        entry = IndexSummary.write(tail, id, entry, asked.getBytesPerEntry(), out);
      }
      if (tail == null || entry == tail.entries()) {
        entry = 0;
        chunk++;
      }
    }
    request.reply(
        SummarizeIndexResponse.newBuilder()
            .setMore(chunk < asked.getChunksCount())
            .setNextChunk(chunk)
            .setNextEntry(entry)
            .build(),
        out.flip());
  }

  private static RequestRefusedException beyond(SummarizeIndexRequest asked) {
    return new RequestRefusedException(
        Status.BAD_REQUEST,
        "no such place to go on: job=%s from_chunk=%s chunks=%s from_entry=%s"
            .formatted(
                asked.getJob(),
                Integer.toUnsignedString(asked.getFromChunk()),
                asked.getChunksCount(),
                Integer.toUnsignedString(asked.getFromEntry())));
  }

  /**
   * The bytes of a chunk, with a reference for the caller, or null when it is not SORTED here, yet.
   *
   * @throws RequestRefusedException when the job has ended, or the chunk is another job's
   */
  private SortedFile sorted(SummarizeIndexRequest asked, long id) throws RequestRefusedException {
    try {
      Chunk chunk = chunks.forReader(asked.getJob(), id);
      if (asked.getFinal()) {
        chunk.stopAppends("the reduce work is planned");
      }
      return chunk.read();
    } catch (RequestRefusedException e) {
      if (e.status() == Status.FORBIDDEN || e.status() == Status.JOB_UNKNOWN) {
        throw e;
      }
      return null;
    }
  }

  /** The tail in a file, to which the caller's reference ends; null when it is damaged. */
  private ChunkTail tail(String job, long id, SortedFile file) throws RequestRefusedException {
    try {
      return ChunkTail.read(file.segment().buffer(), file.length());
    } catch (FormatException e) {
      metrics.increment(ChunkserverMetric.LOSSES);
      chunks.forReader(job, id).lose("its tail is damaged: " + e.getMessage());
      return null;
    } finally {
      file.segment().release();
    }
  }
}
