package dev.sailfish.chunkserver.recovery;

import dev.sailfish.blockstore.Owner;
import dev.sailfish.blockstore.Segment;
import dev.sailfish.blockstore.Tier;
import dev.sailfish.chunkserver.ChunkserverMetric;
import dev.sailfish.chunkserver.chunk.ChunkTable;
import dev.sailfish.chunkserver.chunk.SegmentName;
import dev.sailfish.format.ChunkHeader;
import dev.sailfish.format.CorruptFormatException;
import dev.sailfish.format.FormatException;
import dev.sailfish.format.PlacedBlock;
import dev.sailfish.format.tail.ChunkTail;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.client.SlowServerException;
import dev.sailfish.protocol.wire.AwaitSortedRequest;
import dev.sailfish.protocol.wire.AwaitSortedResponse;
import dev.sailfish.protocol.wire.FetchChunk;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that copies SORTED chunks from servers that are drained, one after the other. Each
 * checksum in the chunk is checked before it counts as held here. What could not be copied is told
 * to the metaserver, which tries again later or elsewhere. Its queue is as long as the metaserver
 * makes it, a few chunks.
 */
public final class ChunkCopier implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkCopier.class);
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int SORTED_DEADLINE_MS = 10_000;
  private static final int PIECE_BYTES = 1 << 20;
  private static final long CLOSE_DEADLINE_MS = 5_000;

  private final Owner store;
  private final ChunkTable chunks;
  private final Network network;
  private final Credentials credentials;
  private final Metrics<ChunkserverMetric> metrics;
  private final BlockingQueue<FetchChunk> queue = new LinkedBlockingQueue<>();
  private final Set<Long> known = ConcurrentHashMap.newKeySet();
  private final Set<Long> failed = ConcurrentHashMap.newKeySet();
  private final Thread thread = new Thread(this::run, "chunk-copier");
  private volatile boolean closed;

  /**
   * @param network leads to other chunkservers
   * @param credentials with which other chunkservers are asked
   */
  public ChunkCopier(
      Owner store,
      ChunkTable chunks,
      Network network,
      Credentials credentials,
      Metrics<ChunkserverMetric> metrics) {
    this.network = network;
    this.credentials = credentials;
    this.store = store;
    this.chunks = chunks;
    this.metrics = metrics;
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** Queues a chunk, unless it is queued; never waits. */
  public void submit(FetchChunk fetch) {
    if (known.add(fetch.getChunk())) {
      queue.add(fetch);
    }
  }

  /** Chunks that could not be copied since this was asked last. */
  public List<Long> takeFailed() {
    return failed.stream().filter(failed::remove).toList();
  }

  private void run() {
    while (!closed) {
      try {
        tryCopy(queue.take());
      } catch (InterruptedException e) {
        LOG.debug("interrupted, closed={}", closed);
      }
    }
  }

  /** Copies the next chunk on the caller's thread; returns false when none is queued. */
  public boolean copyNext() {
    FetchChunk fetch = queue.poll();
    if (fetch != null) {
      tryCopy(fetch);
    }
    return fetch != null;
  }

  private void tryCopy(FetchChunk fetch) {
    try {
      copy(fetch);
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} cannot be copied: {}", label(fetch), e.toString());
      failed.add(fetch.getChunk());
    } finally {
      known.remove(fetch.getChunk());
    }
  }

  private static String label(FetchChunk fetch) {
    return "job=%s chunk=%s from=%s:%s"
        .formatted(
            fetch.getJob(), Long.toHexString(fetch.getChunk()), fetch.getHost(), fetch.getPort());
  }

  private void copy(FetchChunk fetch) throws IOException {
    if (chunks.reportAgain(fetch.getChunk())) {
      return; // it is here
    }
    InetSocketAddress address = new InetSocketAddress(fetch.getHost(), fetch.getPort());
    try (ChunkserverClient client =
        ChunkserverClient.connect(network, address, "chunk-copier", credentials, DEADLINE)) {
      long length = sortedLength(client, fetch);
      Segment segment =
          store.allocate(
              SegmentName.forOutput(fetch.getJob(), fetch.getChunk()), length, length, Tier.MEMORY);
      boolean kept = false;
      try {
        read(client, fetch, segment.buffer(), length);
        kept = keep(fetch, segment, length);
      } finally {
        if (!kept) {
          segment.delete();
        }
      }
    }
  }

  private static long sortedLength(ChunkserverClient client, FetchChunk fetch) throws IOException {
    AwaitSortedRequest request =
        AwaitSortedRequest.newBuilder()
            .setJob(fetch.getJob())
            .setChunk(fetch.getChunk())
            .setDeadlineMs(SORTED_DEADLINE_MS)
            .setPlace(true)
            .build();
    PayloadReply reply =
        client.connection().exchange(IfileService.AWAIT_SORTED, request, new PayloadReply());
    AwaitSortedResponse answer = AwaitSortedResponse.parser().parseFrom(reply.header());
    if (answer.getNotSorted()) {
      // Not waited for: other chunks can be copied meanwhile, and the metaserver has this one tried
      // again.
      throw new SlowServerException(label(fetch) + " is not lost: " + answer.getDetail());
    }
    long length = answer.getStoredBytes();
    if (length < ChunkHeader.LENGTH || length > Segment.MAX_CAPACITY) {
      throw new IOException(label(fetch) + " has an impossible length=" + length);
    }
    return length;
  }

  private void read(ChunkserverClient client, FetchChunk fetch, ByteBuffer target, long length)
      throws IOException {
    for (long at = 0; at < length; at += PIECE_BYTES) {
      if (closed) {
        throw new IOException("this server stops");
      }
      int count = (int) Math.min(PIECE_BYTES, length - at);
      byte[] piece = client.read(fetch.getJob(), fetch.getChunk(), at, count);
      if (piece.length != count) {
        throw new IOException(
            label(fetch) + " read offset=" + at + " asked=" + count + " got=" + piece.length);
      }
      target.put((int) at, piece);
    }
  }

  private boolean keep(FetchChunk fetch, Segment segment, long length) throws FormatException {
    ByteBuffer bytes = segment.buffer();
    ChunkHeader header = ChunkHeader.read(bytes, length);
    if (!header.job().equals(fetch.getJob())) {
      throw new CorruptFormatException(label(fetch) + " is another job's: " + header);
    }
    ChunkTail tail = ChunkTail.read(bytes, length);
    for (int entry = 0; entry < tail.entries(); entry++) {
      PlacedBlock.read(bytes, (int) tail.entryOffset(entry), (int) tail.offset())
          .checkStored(bytes);
    }
    segment.seal(length);
    boolean added = chunks.addCopy(fetch.getChunk(), header, tail, segment);
    if (added) {
      metrics.increment(ChunkserverMetric.COPIED_CHUNKS);
      LOG.info("{} copied, bytes={}", label(fetch), length);
    }
    return added;
  }

  /** Ends the copy that is running; the rest is forgotten. */
  @Override
  public void close() {
    closed = true;
    queue.clear();
    thread.interrupt();
    try {
      thread.join(CLOSE_DEADLINE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
