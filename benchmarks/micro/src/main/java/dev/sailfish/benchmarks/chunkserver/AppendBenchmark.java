package dev.sailfish.benchmarks.chunkserver;

import dev.sailfish.benchmarks.AverageTimeBenchmark;
import dev.sailfish.chunkserver.Chunkserver;
import dev.sailfish.chunkserver.ChunkserverConfig;
import dev.sailfish.format.BlockHeader;
import dev.sailfish.format.Checksum;
import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.ground.wire.PayloadReply;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.client.ChunkserverClient;
import dev.sailfish.protocol.wire.AppendRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Append over loopback: one block from a client's array to the memory of a chunk, with 16 of them
 * on the way. Client and server share the process. Full chunks are deleted, so that after the
 * warm-up the memory is warm; with {@link Ordering#COMPARATOR} a full chunk costs the server one
 * more checksum of its bytes, but no sort.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class AppendBenchmark extends AverageTimeBenchmark {
  private static final String JOB = "job_benchmark";
  private static final int WINDOW = 16;
  private static final long CHUNK_BYTES = 128L << 20;

  /** Length of the block's records in bytes. */
  @Param({"16384", "65536", "262144", "1048576"})
  public int blockBytes;

  private final Deque<PayloadReply> window = new ArrayDeque<>();
  private final ByteBuffer header = ByteBuffer.allocate(BlockHeader.LENGTH);
  private ByteBuffer records;
  private int checksum;
  private DeletingMetaserver metaserver;
  private Chunkserver server;
  private ChunkserverClient client;
  private AppendRequest request;
  private int sequence;

  /** Starts a chunkserver with its memory under /dev/shm. */
  @Setup
  public void start() throws IOException {
    byte[] bytes = new byte[blockBytes];
    new SplittableRandom(1).nextBytes(bytes);
    records = ByteBuffer.wrap(bytes);
    checksum = Checksum.of(bytes, 0, blockBytes);
    metaserver = new DeletingMetaserver();
    String prefix = ChunkserverConfig.PREFIX;
    server =
        Chunkserver.start(
            ChunkserverConfig.of(
                Map.of(
                    prefix + "host", "127.0.0.1",
                    prefix + "bind", "127.0.0.1",
                    prefix + "port", "0",
                    prefix + "web.port", "0",
                    prefix + "metaserver.address", "127.0.0.1:" + metaserver.port(),
                    prefix + "memory.dir", "/dev/shm/sailfish-append-benchmark",
                    prefix + "memory.size", "2g",
                    prefix + "keep.chunks", "false",
                    prefix + "authentication", "none")));
    client =
        ChunkserverClient.connect(
            new InetSocketAddress("127.0.0.1", server.port()), "benchmark", Duration.ofSeconds(30));
    useChunk(1);
  }

  private void useChunk(long chunk) {
    request =
        AppendRequest.newBuilder()
            .setJob(JOB)
            .setChunk(chunk)
            .setOrdering(Ordering.COMPARATOR.code())
            .setCodec(CodecId.NONE.code())
            .setChunkBytes(CHUNK_BYTES)
            .build();
  }

  /** Sends one block, and waits for the answer to the 16th before it. */
  @Benchmark
  public void append() throws IOException {
    new BlockHeader(
            CodecId.NONE,
            BlockHeader.FLAG_SORTED,
            0,
            0,
            0,
            sequence++,
            1,
            blockBytes,
            blockBytes,
            checksum)
        .write(header, 0);
    PayloadReply reply = new PayloadReply();
    client
        .connection()
        .send(
            IfileService.APPEND,
            request.toByteArray(),
            reply,
            header.duplicate(),
            records.duplicate());
    window.add(reply);
    if (window.size() >= WINDOW) {
      takeAnswer();
    }
  }

  private void takeAnswer() throws IOException {
    PayloadReply oldest = window.poll();
    while (!oldest.ended()) {
      client.connection().poll();
    }
    if (oldest.error() == null) {
      return;
    }
    if (oldest.error().status() != Status.CHUNK_FULL) {
      throw oldest.error();
    }
    long full = request.getChunk();
    while (!window.isEmpty()) {
      PayloadReply late = window.poll();
      while (!late.ended()) {
        client.connection().poll();
      }
    }
    metaserver.delete(full);
    useChunk(full + 1);
  }

  /** Removes everything that was started. */
  @TearDown
  public void stop() throws IOException {
    client.close();
    server.close();
    metaserver.close();
  }
}
